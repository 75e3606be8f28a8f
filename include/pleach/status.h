/* pleach/status.h - status codes returned by every call.
 *
 * Zero is success, a negative number is an error. After an error the structure is intact: it holds every operation that
 * was reported as applied, and `pleach_map_validate` accepts it.
 */
#ifndef PLEACH_STATUS_H
#define PLEACH_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PLEACH_BUILDING) && defined(__GNUC__)
#define PLEACH_API __attribute__((visibility("default")))
#else
#define PLEACH_API
#endif

/* One table yields the enum, the names and the texts. */
#define PLEACH_STATUS_TABLE(X)                                                                                   \
    X(PLEACH_OK, 0, "success")                                                                                   \
    X(PLEACH_E_ARGUMENT, -1, "bad argument: a required pointer is NULL or an option is out of range")            \
    X(PLEACH_E_SIZE, -2, "too many elements: at most 2^31 per call, and sizes must not overflow")                \
    X(PLEACH_E_WIDTH, -3, "key, value or result does not fit: the map, the file or the call has another width")  \
    X(PLEACH_E_MEMORY, -4, "out of memory: an allocation on the host or on the GPU failed")                      \
    X(PLEACH_E_FULL, -5, "pool limit reached: some elements were not applied; raise max_bytes, or compact")      \
    X(PLEACH_E_SPACE, -6, "result buffer too small: the call reports how many elements are needed")              \
    X(PLEACH_E_BUSY, -7, "a device view is open, a snapshot is live, or a queue is full: retry when it is not")  \
    X(PLEACH_E_NOT_EMPTY, -8, "the map must be empty for this call: clear it first")                             \
    X(PLEACH_E_NO_CUDA, -9, "built without CUDA: configure with -DPLEACH_CUDA=ON and rebuild")                   \
    X(PLEACH_E_NO_GPU, -10, "no usable NVIDIA GPU: no driver, no device, or the driver is too old for this build")  \
    X(PLEACH_E_POINTER, -11, "wrong kind of pointer: device memory passed to a CPU map, or unreadable memory")   \
    X(PLEACH_E_STREAM, -12, "a CPU map accepts no stream: pass PLEACH_SYNC")                                     \
    X(PLEACH_E_CUDA, -13, "a CUDA call failed: see pleach_cuda_error()")                                        \
    X(PLEACH_E_CORRUPT, -14, "an invariant is violated: the message names it")                                   \
    X(PLEACH_E_FILE, -15, "the file cannot be opened, read, written or renamed: errno has the reason")           \
    X(PLEACH_E_FORMAT, -16, "not a pleach file, damaged, or of the other byte order: use another copy")          \
    X(PLEACH_E_NEWER, -17, "the file was written by a newer version of pleach: update pleach to read it")        \
    X(PLEACH_E_NO_FILES, -18, "built without file support: install xxhash.h (xxHash) and rebuild")               \
    X(PLEACH_E_CLOSED, -19, "the queue is closed: it accepts no more operations")                                \
    X(PLEACH_E_VERTEX, -20, "vertex id 2^32-1 is reserved: the elements that name it were not applied")          \
    X(PLEACH_E_KIND, -21, "the file holds a graph, not a map: load it with pleach_graph_load_file")

typedef enum pleach_status {
#define PLEACH_STATUS_ENUM(name, code, text) name = code,
    PLEACH_STATUS_TABLE(PLEACH_STATUS_ENUM)
#undef PLEACH_STATUS_ENUM
} pleach_status;

/* Returns the text of a status; never NULL; static memory. */
PLEACH_API const char *pleach_strerror(pleach_status status);

/* Returns the name of a status, such as "PLEACH_E_FULL"; never NULL; static memory. */
PLEACH_API const char *pleach_status_name(pleach_status status);

/* Returns the CUDA error behind the calling thread's last PLEACH_E_CUDA, PLEACH_E_NO_GPU or PLEACH_E_MEMORY from a GPU
 * call, or "" if there was none; static memory. */
PLEACH_API const char *pleach_cuda_error(void);

#ifdef __cplusplus
}
#endif
#endif
