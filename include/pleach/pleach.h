/* pleach/pleach.h - everything for the host, and what this build can do. */
#ifndef PLEACH_H
#define PLEACH_H

#include "batch.h"
#include "file.h"
#include "graph.h"
#include "graph_snapshot.h"
#include "hash.h"
#include "index.h"
#include "map.h"
#include "queue.h"
#include "skiplist.h"
#include "snapshot.h"
#include "status.h"
#include "triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLEACH_VERSION_MAJOR 0
#define PLEACH_VERSION_MINOR 1
#define PLEACH_VERSION_PATCH 0

/* "0.1.0" */
PLEACH_API const char *pleach_version(void);

/* The node verbs that CPU maps use on this machine: "avx512", "avx2" or "plain". The environment variable PLEACH_SIMD
 * may name a lower one; it is read when a map is created. Maps with 128-bit keys always use plain ones. */
PLEACH_API const char *pleach_simd(void);

/* OK if GPU maps can be created here, with a line that describes the GPU and driver; else NO_CUDA or NO_GPU, with a
 * line that says why. */
PLEACH_API pleach_status pleach_gpu_info(int gpu, char *line, size_t line_size);

#ifdef __cplusplus
}
#endif
#endif
