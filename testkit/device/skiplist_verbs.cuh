/* testkit/skiplist_verbs.cuh - a skiplist's device-side API, and its views, by names that kernels for both key widths
 * have in common. */
#ifndef PLEACH_TEST_SKIPLIST_VERBS_CUH
#define PLEACH_TEST_SKIPLIST_VERBS_CUH

#include <pleach/pleach.h>
#include <pleach/skiplist_device.cuh>

typedef pleach_skiplist_view view_t;
typedef pleach_skiplist_agent agent_t;

static inline __device__ void enter(const view_t &view, agent_t *agent) { pleach_skiplist_enter(view, agent); }
static inline __device__ void leave(const view_t &view, agent_t *agent) { pleach_skiplist_leave(view, agent); }
static inline __device__ void pass(const view_t &view, agent_t *agent) { pleach_skiplist_pass(view, agent); }

static inline __device__ bool pass_while(const view_t &view, agent_t *agent, bool going)
{
    if (!__syncthreads_or(going)) return false;
    pass(view, agent);
    return true;
}

static inline pleach_status open_view(pleach_map *map, view_t *view) { return pleach_skiplist_view_open(map, view); }
static inline pleach_status close_view(pleach_map *map, view_t *view) { return pleach_skiplist_view_close(map, view); }

static inline void choose_structure(pleach_map_config *config)
{
    config->structure = PLEACH_SKIPLIST;
    config->chunk = PLEACH_CHUNK;
}

#define DEFINE_VERBS(bits, word)                                                                                 \
    static inline __device__ pleach_outcome put(const view_t &view, agent_t *agent, word key, word value,        \
                                               word *old)                                                        \
    {                                                                                                            \
        return pleach_skiplist##bits##_put(view, agent, key, value, old);                                        \
    }                                                                                                            \
    static inline __device__ pleach_outcome add(const view_t &view, agent_t *agent, word key, word value,        \
                                               word *old)                                                        \
    {                                                                                                            \
        return pleach_skiplist##bits##_add(view, agent, key, value, old);                                        \
    }                                                                                                            \
    static inline __device__ pleach_outcome erase(const view_t &view, agent_t *agent, word key, word *old)       \
    {                                                                                                            \
        return pleach_skiplist##bits##_erase(view, agent, key, old);                                             \
    }                                                                                                            \
    static inline __device__ bool find(const view_t &view, agent_t *agent, word key, word *value)                \
    {                                                                                                            \
        return pleach_skiplist##bits##_find(view, agent, key, value);                                            \
    }                                                                                                            \
    static inline __device__ bool contains(const view_t &view, agent_t *agent, word key)                         \
    {                                                                                                            \
        return pleach_skiplist##bits##_contains(view, agent, key);                                               \
    }                                                                                                            \
    static inline __device__ bool least(const view_t &view, agent_t *agent, word *out_key, word *out_value)      \
    {                                                                                                            \
        return pleach_skiplist##bits##_min(view, agent, out_key, out_value);                                     \
    }                                                                                                            \
    static inline __device__ bool greatest(const view_t &view, agent_t *agent, word *out_key, word *out_value)   \
    {                                                                                                            \
        return pleach_skiplist##bits##_max(view, agent, out_key, out_value);                                     \
    }                                                                                                            \
    static inline __device__ uint64_t range_count(const view_t &view, agent_t *agent, word lo, word hi)          \
    {                                                                                                            \
        return pleach_skiplist##bits##_range_count(view, agent, lo, hi);                                         \
    }                                                                                                            \
    static inline __device__ bool neighbour(const view_t &view, agent_t *agent, word key, bool up,               \
                                            word *out_key, word *out_value)                                      \
    {                                                                                                            \
        return up ? pleach_skiplist##bits##_succ(view, agent, key, out_key, out_value)                           \
                  : pleach_skiplist##bits##_pred(view, agent, key, out_key, out_value);                          \
    }                                                                                                            \
    static inline __device__ uint32_t range(const view_t &view, agent_t *agent, word lo, word hi,                \
                                            uint32_t limit, word *keys, word *values)                            \
    {                                                                                                            \
        return pleach_skiplist##bits##_range(view, agent, lo, hi, limit, keys, values);                          \
    }

DEFINE_VERBS(32, uint32_t)
DEFINE_VERBS(64, uint64_t)

#endif
