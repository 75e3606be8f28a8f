/* verify/sized.cuh - sizes of tests and tools with kernels of their own: on an emulated GPU (verify/cuda_host) a thread
 * takes as long as a thousand on a GPU, so there are fewer. */
#ifndef PLEACH_VERIFY_SIZED_CUH
#define PLEACH_VERIFY_SIZED_CUH

#ifdef PLEACH_HOSTGPU_H
#define SIZED(on_gpu, emulated) (emulated)
#else
#define SIZED(on_gpu, emulated) (on_gpu)
#endif

#endif
