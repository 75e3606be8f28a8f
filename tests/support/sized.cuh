/* support/sized.cuh - sizes of tests with kernels of their own: on an emulated GPU (verify/cuda_host) a thread takes as
 * long as a thousand on a GPU, so there are fewer. */
#ifndef PLEACH_TESTS_SIZED_CUH
#define PLEACH_TESTS_SIZED_CUH

#ifdef PLEACH_HOSTGPU_H
#define SIZED(on_gpu, emulated) (emulated)
#else
#define SIZED(on_gpu, emulated) (on_gpu)
#endif

#endif
