/* node/node.h - the node format and the contract of the node functions, for one key width (base/width.h).
 *
 * LAYOUT
 *
 * A node has 16 slots (or 32, in a skiplist that requests it). A slot holds one pair: 8 bytes with 32-bit keys (node
 * 128 bytes), 16 bytes with 64-bit keys (256), 32 bytes with 128-bit keys (512).
 *
 *     slot    0      1      2            13      14      15
 *          +------+------+------+     +------+------+--------+
 *     leaf | k, v | k, v | k, v | ... | k, v | link | header |      keys ascend; slots from count on hold leftovers
 *          +------+------+------+     +------+------+--------+
 *    inner | p, c | p, c | p, c | ... | p, c | link | header |      pivots ascend; slots from count on repeat slot 14
 *          +------+------+------+     +------+------+--------+
 *
 *     link    (high key, NODE_LINK | right neighbour). If there is no right neighbour: (anything, 0) in a leaf; in an
 *             inner node a copy of its last pair, so that a search over slots 0..14 needs no count.
 *     header  one word:   bit 0 latch | bits 1-7 level (0: leaf) | bits 8-15 count | bits 16-63 version
 *             (if keys are wider than 32 bits, the other words of slot 15 are unused)
 *
 * Node ids are 31 bits wide, and 0 names no node. Bit 31 of an id in a pair marks the pair as a link. Bit 0 of the
 * header is the latch, so an unlatched header is even and a latched one odd. The version counts the changes of the
 * node: a reader that sees the same even header before and after its loads has overlapped no writer. The version has 48
 * bits, so a reader would have to pause for exactly 2^48 updates of one node to miss a change.
 *
 * NODE FUNCTIONS, in addition to the loads and stores of one pair (pair_load, pair_store: fresh and relaxed):
 *
 * node_route(node, key, *pair)      inner node, no latch held. Finds a pair that the node held at one instant, with
 *                                   pair.key <= key: the last such pair if there is no concurrent writer, otherwise
 *                                   possibly one further left. May be stale. False if the node is being changed: retry.
 * node_lookup(node, key, *pair)     leaf, no latch held; reads fresh data.
 *     NODE_FOUND     pair is key's pair, and was in the map at one instant since the call began.
 *     NODE_RIGHT     pair is the link, and key >= the high key.
 *     NODE_ABSENT    at one instant since the call began this leaf covered key and did not hold it.
 *     NODE_CHANGED   a writer is changing the node: retry.
 *     With NODE_HIT_WAITS (a map with versions), a leaf that is found latched yields NODE_CHANGED also for a hit.
 * node_scan(node, count, key, *pair)
 *                                   a bottom chunk of a skiplist, whose pairs are unordered; reads fresh data. Returns
 *                                   the slot, among the first `count`, that held key's pair, and the pair. NODE_SLOTS:
 *                                   each of these slots was read without finding the key, one after the other.
 * node_nearest(node, count, key, up, *pair)
 *                                   CUDA: finds, in a leaf's first `count` pairs, the first with key >= `key`, or the
 *                                   last with key <= `key`; reads fresh data; the caller must validate. False if none.
 * node_last(node, *link)            reads the link, and the header, which is not loaded before it; fresh. If pairs are
 *                                   not atomic, the link may be torn: it is valid only if the header is unchanged.
 * node_end(node, *link)             reads the header, and the link, which is not loaded before it; fresh. If a writer
 *                                   is changing the node, the result has HEADER_LATCHED set and the link means nothing.
 * node_read(node, image)            reads slots 0..13 of a node that the caller has latched or will validate.
 * node_write(node, image, from, to) writes slots from .. to-1 of 0..13 from an image; may also rewrite, unchanged, an
 *                                   adjacent slot that the caller had read into the image.
 * image_rank(image, count, key)     returns how many of an image's first `count` pairs have a key < `key`;
 *                                   image_rank_through counts keys <= `key`. image_of_one: an image of one pair.
 * sink_open, sink_put, sink_close   write the pairs of a range, one after the other, to two private arrays, either of
 *                                   which may be NULL. sink_put must be called with ascending positions from 0;
 *                                   sink_close ends it. sink_run writes exactly n pairs of an image, from slot `from`.
 *
 * IMAGE_IN_REGISTERS is defined if an image should never be indexed by a variable (CUDA).
 *
 * PAIR_IS_ATOMIC states whether one pair is read and written in a single access. If it is not (16-byte pairs in plain
 * C, 32-byte pairs), the functions validate the version instead.
 */
#include "node_format.h"

#include "../base/width.h"

/* A pair, and a node as the words that the port layer accesses. */
enum { PAIR_WORDS = PLEACH_KEY_BITS / 32, HEADER_WORD = PAIR_WORDS * NODE_HEADER_SLOT };
typedef struct map_pair { map_key key, value; } map_pair;
typedef struct map_node { uint64_t word[PAIR_WORDS * NODE_SLOTS]; } map_node;
NODE_ASSERT(sizeof(map_pair) == PLEACH_KEY_BITS / 4 && sizeof(map_node) == NODE_SLOTS * sizeof(map_pair));

#if defined(__CUDACC__) || defined(PLEACH_NODE_ISA_cuda)
#include "node_cuda.h"
#elif defined(PLEACH_NODE_ISA_x86)
#include "node_x86_words.h"
#elif defined(PLEACH_NODE_ISA_avx512)
#include "node_avx512.h"
#elif defined(PLEACH_NODE_ISA_avx2)
#include "node_avx2.h"
#else
#include "node_plain.h"
#endif
