/* pleach/pleach.h - includes all host headers; version and capabilities of this build. */
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

/* Returns the instruction set of the node operations of CPU maps on this machine: "avx512", "avx2" or "plain". The
 * environment variable PLEACH_SIMD can select a lower one; it is read when a map is created. Maps with 128-bit keys
 * always use plain operations. */
PLEACH_API const char *pleach_simd(void);

/* Returns OK if GPU maps can be created on this machine, and a line that describes the GPU and driver; otherwise
 * NO_CUDA or NO_GPU, and a line with the reason. */
PLEACH_API pleach_status pleach_gpu_info(int gpu, char *line, size_t line_size);

#ifdef __cplusplus
}
#endif
#endif
