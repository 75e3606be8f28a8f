/* tests/test_map_history_device.cu - what kernels are told by the device-side API of a B-link tree, as histories and
 * without any stamps: testkit/history_device.cuh. */
#include <pleach/map_device.cuh>
#include <pleach/pleach.h>

enum { WAVE = 0, SPARE_KEYS = 0, FIGHT_OPS = 800 };

typedef pleach_map_view view_t;
typedef char agent_t; /* there are none: every thread works by itself, at any time */

static __device__ void enter(const view_t &, agent_t *) {}
static __device__ void leave(const view_t &, agent_t *) {}
static __device__ void pass(const view_t &, agent_t *) {}
static __device__ bool pass_while(const view_t &, agent_t *, bool going) { return going; }

static pleach_status open_view(pleach_map *map, view_t *view) { return pleach_map_view_open(map, view); }
static pleach_status close_view(pleach_map *map, view_t *view) { return pleach_map_view_close(map, view); }
static void choose_structure(pleach_map_config *config) { config->structure = PLEACH_BLINK; }

#define DEFINE_VERBS(bits, word)                                                                                 \
    static __device__ pleach_outcome put(const view_t &view, agent_t *, word key, word value, word *old)         \
    {                                                                                                            \
        return pleach_map##bits##_put(view, key, value, old);                                                    \
    }                                                                                                            \
    static __device__ pleach_outcome add(const view_t &view, agent_t *, word key, word value, word *old)         \
    {                                                                                                            \
        return pleach_map##bits##_add(view, key, value, old);                                                    \
    }                                                                                                            \
    static __device__ pleach_outcome erase(const view_t &view, agent_t *, word key, word *old)                   \
    {                                                                                                            \
        return pleach_map##bits##_erase(view, key, old);                                                         \
    }                                                                                                            \
    static __device__ bool find(const view_t &view, agent_t *, word key, word *value)                            \
    {                                                                                                            \
        return pleach_map##bits##_find(view, key, value);                                                        \
    }                                                                                                            \
    static __device__ bool neighbour(const view_t &view, agent_t *, word key, bool up, word *out_key,            \
                                     word *out_value)                                                            \
    {                                                                                                            \
        return up ? pleach_map##bits##_succ(view, key, out_key, out_value)                                       \
                  : pleach_map##bits##_pred(view, key, out_key, out_value);                                      \
    }                                                                                                            \
    static __device__ uint32_t range(const view_t &view, agent_t *, word lo, word hi, uint32_t limit,            \
                                     word *keys, word *values)                                                   \
    {                                                                                                            \
        return pleach_map##bits##_range(view, lo, hi, limit, keys, values);                                      \
    }

DEFINE_VERBS(32, uint32_t)
DEFINE_VERBS(64, uint64_t)

#include "testkit/device/history_device.cuh"

int main(void) { return run_histories(); }
