/* reclaim.cu - the operations of reclaim.h by GPU threads that stay for the whole launch. An agent is a warp or a
 * block; all of its lanes make the same number of stays. */
#include "reclaim.h"

enum { BLOCK = 256, BLOCKS_PER_SM = 4 };

PORT_FN bool all_lanes(bool own, uint32_t lanes)
{
    return lanes == 32 ? __all_sync(~0u, own) != 0 : __syncthreads_and(own) != 0;
}

PORT_FN void meet(uint32_t lanes)
{
    if (lanes == 32)
        __syncwarp();
    else
        __syncthreads();
}

/* After some stays: if all have entered in this epoch, it is over. All lanes ask about the same one. */
PORT_FN void look_around(const reclaim_work *w, uint32_t lane, uint64_t *own)
{
    if (lane == 0) *own = port_load(w->shared + RECLAIM_EPOCH);
    meet(w->lanes);
    const uint64_t epoch = *own;
    const bool all = all_lanes(reclaim_all_here(w, epoch, lane), w->lanes);
    if (all && lane == 0) reclaim_move_on(w, epoch);
}

static __global__ void __launch_bounds__(BLOCK) run(abl_tree tree, reclaim_work w)
{
    __shared__ uint64_t entered[BLOCK / 32];
    const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x, agent = thread / w.lanes, lane = thread % w.lanes;
    const uint64_t each = (w.n + w.threads - 1) / w.threads, stays = (each + w.stay - 1) / w.stay;
    uint64_t *own = &entered[w.lanes == 32 ? threadIdx.x / 32 : 0];
    reclaim_hand *hand = &w.hands[thread];
    for (uint64_t stay = 0; stay < stays; stay++) {
        if (lane == 0) *own = reclaim_enter(&w, agent);
        meet(w.lanes);
        const uint64_t epoch = *own;
        reclaim_refresh(&w, hand, epoch);
        for (uint64_t k = stay * w.stay; k < (stay + 1) * w.stay; k++) {
            const uint64_t i = k * w.threads + thread;
            if (i < w.n) w.answers[w.begin + i] = reclaim_one(tree, &w, hand, w.begin + i);
        }
        meet(w.lanes);
        if (lane == 0) reclaim_leave(&w, agent, epoch);
        if (w.way != RECLAIM_WHOLE && stay % RECLAIM_LOOK_EVERY == agent % RECLAIM_LOOK_EVERY)
            look_around(&w, lane, own);
    }
}

uint32_t reclaim_block_cuda(void) { return BLOCK; }

pleach_status reclaim_threads_cuda(uint32_t *threads)
{
    int gpu = 0, multiprocessors = 1;
    if (cudaGetDevice(&gpu) != cudaSuccess ||
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu) != cudaSuccess)
        return PLEACH_E_CUDA;
    *threads = (uint32_t)multiprocessors * BLOCKS_PER_SM * BLOCK;
    return PLEACH_OK;
}

pleach_status reclaim_run_cuda(abl_tree tree, const reclaim_work *work, pleach_stream stream)
{
    run<<<work->threads / BLOCK, BLOCK, 0, (cudaStream_t)stream>>>(tree, *work);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
