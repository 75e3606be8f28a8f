/* paper_list.c - the list of experiments, with what the papers report. Sources: M. Awad, Fully Concurrent GPU
 * Data Structures (dissertation); J. Sewall and others, PALM; W. Zhang and others, Eirene; N. Moscovici and others, A
 * GPU-Friendly Skiplist Algorithm, and N. Moscovici's thesis. */
#include "paper.h"

#define TITAN_V "TITAN V; M/s\n"
#define V100 "V100; M/s\n"
#define X5680 "two Xeon X5680, 24 threads; M/s\n"
#define A100 "A100; M/s\n"
#define GTX970 "GTX 970; M/s\n"
#define MADE_GRAPHS "made graphs of four classes instead of its twelve data sets"
#define SMALLER "32M keys instead of 128M on a GPU"
#define KERNEL_OR_CALLS "by one kernel on a GPU, by threads that make single calls on a CPU"
#define NOT_COUNTED "a profiler's counts, which no command here has"

/* All that arrays of a map's operations are; and by single calls, on a CPU. */
#define OPERATIONS                                                                                               \
    "limits load find find-miss find-mixed export insert-batch insert-empty insert-sorted erase erase-sorted "    \
    "range-limit range-packed range-count succ pred apply "
#define SINGLE "single-find single-put single-mixed "
#define LONG_QUERIES "long-count long-range long-export range-one long-mixed "

/* A run for each distribution of keys. */
#define SKEWED(words) words "uniform;" words "zipf1;" words "self;" words "gauss"

const struct paper_experiment paper_experiments[] = {
    /* ---- the B-tree ---- */
    {"awad-table-3.3", "Awad, table 3.3", "inserts by batch size",
     TITAN_V "2^16 168, 2^18 172, 2^20 205, 2^22 223; log-structured merge tree 61, 219, 686, 1,603;\n"
     "sorted array 45, 161, 543, 1,473; tree with coupled latches 0.17",
     "baselines", "grow insert", "grow insert", "--keys 100K --repeat 2",
     "a tree with coupled latches gets fewer keys"},
    {"awad-figure-3.2", "Awad, figure 3.2", "searches, ranges of 8, successors; as many as there are keys",
     TITAN_V "search 1,020, range 502, successor 783; merge tree 158, 166; sorted array 335",
     "baselines", "find range succ", "find range succ --keys 60M", "--keys 100K --repeat 2",
     "ranges of 32 too; at most 16 M and 4 M ranges"},
    {"awad-figure-3.3", "Awad, figure 3.3", "from which size on inserting a batch beats building anew",
     "TITAN V\n2^18 at 3.15 M keys, 2^19 at 6.82 M, 2^22 at 57.7 M; building 3,124 M keys/s", "baselines",
     "crossing", "crossing; insert rebuild", "--keys 200K --repeat 2", "row keys: where inserting begins to win"},
    {"awad-figure-3.4", "Awad, figure 3.4", "erasing 10% to 50% of the keys",
     TITAN_V "10% 571, more 582", "baselines", "erase", "erase --keys 40M", "--keys 100K --repeat 2", NULL},
    {"awad-figure-3.5", "Awad, figure 3.5", "all kinds of operations mixed in one kernel, 20%, 60%, 100% updates",
     TITAN_V "248, 257, 238", "", "mixed-all --bits 32 --keys 1M --ops 1M",
     "mixed-all --bits 32 --keys 16M --ops 16M --repeat 3", "--keys 100K --ops 50K --repeat 2",
     "ranges of 8; with versions too; " KERNEL_OR_CALLS},
    {"awad-figure-3.6", "Awad, figure 3.6", "what caches and memory do during searches",
     "TITAN V over Tesla K40c: 6.2 times the accesses, 4 times the memory's", NULL, NULL, NULL, NULL, NOT_COUNTED},
    /* ---- versions ---- */
    {"awad-figure-4.2", "Awad, figure 4.2", "what versions cost: inserts into an empty tree, finds",
     V100 "inserts 240, in place 217, out of place 95; finds 1,513, 1,454, 1,550", "",
     "insert-empty find --bits 32; insert-empty find --bits 32 --versioned; insert-batch --bits 32 --snapshot",
     "insert-empty find --bits 32 --keys 16M --ops 16M --engine calls;"
     "insert-empty find --bits 32 --keys 16M --ops 16M --engine calls --versioned;"
     "insert-batch --bits 32 --keys 16M --snapshot",
     "--keys 100K --ops 2^14 --repeat 2", "out of place: beside a snapshot, where each leaf is copied once"},
    {"awad-table-4.1", "Awad, table 4.1, figure 4.3", "inserts beside ranges, 5%, 50%, 90% inserts",
     V100 "40 M keys, ranges of 8: 229, 220, 223, versioned 249, 127, 95; of 32: 240, 213, 220, versioned 215, 118, 92",
     "", "mixed-range --bits 32 --keys 10M; mixed-range --bits 32 --keys 1M",
     "mixed-range --bits 32 --keys 40M --repeat 3; mixed-range --bits 32 --keys 1M --repeat 3",
     "--keys 100K --ops 50K --repeat 2", KERNEL_OR_CALLS},
    {"awad-figure-4.4", "Awad, figure 4.4", "the same by the length of ranges, half inserts",
     V100 "shortest to longest 197 to 44, versioned 128 to 28", "", "mixed-length --bits 32 --ops 500K",
     "mixed-length --bits 32 --repeat 2", "--keys 100K --ops 50K --repeat 2", KERNEL_OR_CALLS},
    {"awad-table-4.2", "Awad, table 4.2, figure 4.5", "deletes beside finds, 5%, 50%, 90% deletes",
     V100 "45 M keys: 433, 424, 400; versioned 370, 367, 346", "", "mixed-erase --bits 32",
     "mixed-erase --bits 32 --repeat 3", "--keys 100K --ops 50K --repeat 2", KERNEL_OR_CALLS},
    {"awad-figure-4.6", "Awad, figure 4.6", "memory while half inserts, half ranges of 16 run",
     "V100\n981 MB in the end for 67.5 M keys, 950 MB without versions", "", "mixed-memory --bits 32",
     "mixed-memory --bits 32", "--keys 100K --ops 50K --repeat 1",
     "by tenths of the work, not by epochs: counters of the rows; " KERNEL_OR_CALLS},
    /* ---- graphs ---- */
    {"awad-table-5.2", "Awad, table 5.2", "random edges inserted, by batch size",
     "TITAN V; M edges/s\n2^16 501, 2^18 591, 2^20 665, 2^22 646; Hornet 34, 51, 84, 111; faimGraph 92, 157",
     "graph",
     "insert --runs 3", "insert --scale 18 --runs 3", "--scale 10 --runs 1", MADE_GRAPHS},
    {"awad-table-5.3", "Awad, table 5.3", "edges erased, by batch size",
     "TITAN V; M edges/s\n2^16 641, 2^18 948, 2^20 989, 2^22 1,015; Hornet 92, 259, 538, 1,025; faimGraph 112, 172",
     "graph", "erase --runs 3", "erase --scale 18 --runs 3", "--scale 10 --runs 1", MADE_GRAPHS},
    {"awad-table-5.4", "Awad, table 5.4", "vertices erased, by batch size",
     "TITAN V; M vertices/s\n2^16 5.4, 2^18 12.7, 2^20 26.5; faimGraph 0.4, 1.1, 3.0", "graph",
     "erase-vertices --runs 3",
     "erase-vertices --scale 19 --runs 1", "--scale 10 --runs 1", MADE_GRAPHS},
    {"awad-table-5.5", "Awad, table 5.5", "graphs built at once",
     "TITAN V; ms\nroad_usa 27.9, delaunay_n20 2.5, rgg_n_2_20 5.1, soc-LiveJournal1 26.2, hollywood-2009 42.4;\n"
     "Hornet 644, 37.7, 37.1, 180, 90.7", "graph", "build --runs 3", "build --scale 19 --runs 3",
     "--scale 10 --runs 1", MADE_GRAPHS "; ours maps its memory inside the clock"},
    {"awad-table-5.6", "Awad, table 5.6", "graphs from nothing, batch by batch",
     "TITAN V; M edges/s\n2^20 841, 2^21 946, 2^22 994; Hornet 164, 177, 185", "graph", "incremental --runs 3",
     "incremental --scale 18 --runs 1", "--scale 10 --runs 1", MADE_GRAPHS "; ours maps its memory inside the clock"},
    {"awad-table-5.7", "Awad, tables 5.7, 5.8", "triangles of a graph",
     "TITAN V; ms\nroad_usa 66, delaunay_n20 6.4, rgg_n_2_20 23, soc-LiveJournal1 1,526, hollywood-2009 11,060;\n"
     "Hornet 52, 3.4, 6.4, 483, 9,784, and sorting, 10,875, 503, 497, 2,226, 540", "graph", "triangles --runs 3",
     "triangles --scale 19 --runs 3", "--scale 10 --runs 1", MADE_GRAPHS},
    {"awad-table-5.9", "Awad, table 5.9", "triangles kept up to date with batches of edges",
     "TITAN V; ms\nroad_usa, batches of 2^22, fifth round 326; hollywood-2009 56,774; counted anew each time",
     "graph",
     "dynamic --runs 3", "dynamic --scale 18 --runs 1", "--scale 10 --runs 1",
     "one batch, kept up against counted anew; 'pleach-bench graph paper' has rounds as there"},
    {"awad-figure-5.2", "Awad, figures 5.2, 5.3", "what the load of the tables does to building, memory and triangles",
     "TITAN V\nchains of 5 slabs build 2.5 times slower; triangles are best near a load of 0.7", "graph",
     "load --runs 3", "load --scale 18 --runs 1", "--scale 10 --runs 1", "ours grow, and have no chains so long"},
    /* ---- PALM ---- */
    {"palm-figure-2", "PALM, figure 2, table 1", "batches of 8,192 searches, of updates; by size; stages",
     X5680 "updates 128 at 512K keys, 40 at 128M; searches 56 at 128M\n"
     "sort, search, modify: 20, 49, 31% at 512K, 6, 69, 25% at 128M", "",
     "batches --bits 32 --keys 512K --ops 8192; batches --bits 32 --keys 10M --ops 8192",
     "apply --bits 32 --keys 512K --ops 8192 --repeat 3; apply --bits 32 --keys 32M --ops 8192 --repeat 3;"
     "apply --bits 32 --keys 32M --ops 2^20 --repeat 3", "--keys 50K --repeat 2",
     "values are as wide as keys; " SMALLER ", which 8,192 do not fill"},
    {"palm-figure-3", "PALM, figure 3", "updates alone of skewed keys, against uniform ones",
     "two Xeon X5680\nall within 1.6 times, skewed ones faster", "",
     SKEWED("apply --bits 32 --keys 512K --ops 8192 --updates 100 --kinds update,change --dist "),
     SKEWED("apply --bits 32 --keys 32M --ops 2^20 --repeat 3 --updates 100 --kinds update,change --dist "),
     "--keys 50K --ops 8192 --repeat 2", "other values, and inserts and deletes by halves; " SMALLER},
    {"palm-figure-4", "PALM, figure 4", "a quarter updates, by the number of cores",
     "two Xeon X5680\n12 cores 10 to 11.6 times one at 512K keys, 6.5 to 10.5 at 128M", "",
     "apply --bits 32 --keys 512K --ops 8192 --updates 25 --kinds update,change --threads 1,2,4,8,12;"
     "apply --bits 32 --keys 10M --ops 8192 --updates 25 --kinds update,change --threads 1,2,4,8,12", NULL,
     "--keys 50K --repeat 2 --threads 1,2", "10M keys instead of 128M; a GPU has no such number"},
    {"palm-figure-5", "PALM, figure 5", "updates as TPC-E, TPC-C, TPC-H have, on a many-core processor",
     "Knights Ferry over two Xeon X5680\n1.5 times with frequent updates, 2.1 times with few", "",
     "apply --bits 32 --keys 20M --ops 2^16 --updates 35,10,0.01 --kinds update,change",
     "apply --bits 32 --keys 20M --ops 2^20 --updates 35,10,0.01 --kinds update,change --repeat 3",
     "--keys 50K --ops 8192 --repeat 2", "the GPU is the many-core processor: run it on both devices"},
    {"palm-figure-6", "PALM, figure 6", "batches against a B-link tree with a search a thread",
     "two Xeon X5680\n2.3 to 19.1 times as fast; 25% updates, uniform 2.3 to 2.6 times", "",
     "apply --bits 32 --keys 512K --ops 8192 --updates 25,75 --kinds update;"
     "single-mixed --bits 32 --keys 512K --updates 25,75; batches --bits 32 --keys 512K --ops 8192;"
     "apply --bits 32 --keys 10M --ops 8192 --updates 25,75 --kinds update;"
     "single-mixed --bits 32 --keys 10M --updates 25,75; batches --bits 32 --keys 10M --ops 8192",
     "apply --bits 32 --keys 32M --ops 2^20 --updates 25,75 --kinds change --repeat 3;"
     "mixed-erase --bits 32 --keys 32M --ops 2^20 --updates 25,75 --repeat 3;"
     "insert-batch --bits 32 --engine calls --repeat 3; insert-batch --bits 32 --engine batches --repeat 3",
     "--keys 50K --ops 8192 --repeat 2",
     "the B-link tree: single calls, array calls, or one kernel of finds and erases; " SMALLER},
    {"palm-figure-7a", "PALM, figure 7a", "width of keys, by the share of updates",
     X5680 "128M keys: 4 bytes 38 (updates) to 56 (searches), 16 bytes 17 to 25", "",
     "apply --bits 32 --keys 10M --ops 8192 --updates 0,25,50,75,100 --kinds change;"
     "apply --bits 64 --keys 10M --ops 8192 --updates 0,25,50,75,100 --kinds change;"
     "apply --bits 128 --keys 10M --ops 8192 --updates 0,25,50,75,100 --kinds change",
     "apply --bits 32 --keys 32M --ops 2^20 --updates 0,25,50,75,100 --kinds change --repeat 3;"
     "apply --bits 64 --keys 32M --ops 2^20 --updates 0,25,50,75,100 --kinds change --repeat 3",
     "--keys 50K --ops 8192 --repeat 2", "16 bytes on the CPU only; " SMALLER ", 10M on a CPU"},
    {"palm-figure-7b", "PALM, figure 7b", "rate against the time of a batch",
     "two Xeon X5680\n512K keys: 80% of the best rate at 60 us, 99% at 150; 128M: 100 and 350 us", "",
     "batches --bits 32 --keys 512K",
     "apply --bits 32 --keys 32M --ops 2^14 --repeat 3; apply --bits 32 --keys 32M --ops 2^17 --repeat 3;"
     "apply --bits 32 --keys 32M --ops 2^20 --repeat 3; apply --bits 32 --keys 32M --ops 2^24 --repeat 3",
     "--keys 50K --ops 8192 --repeat 2", "the time of a batch is its size by its rate; " SMALLER},
    /* ---- Eirene ---- */
    {"eirene-figure-1", "Eirene, figures 1, 9, 12", "memory accesses of a request, and what removes them",
     "A100\n209 memory accesses with transactions, 79 with locks; 3.9% and 8.5% of these with combining and locality",
     "ablations", "eirene", "eirene", "--quick --repeat 2",
     "finds alone, words accessed, counted by the code itself: accesses_per_request; not control instructions, nor the "
     "conflicts of updates"},
    {"eirene-figure-7", "Eirene, figures 2, 7, 8",
     "95% finds, 5% updates in batches of a million: rate, and its spread",
     A100 "2^23 keys: 2,400, 13.7 times transactions, 7.4 times locks; 0.41 ns a request, spread 5%, the others 36% "
     "and 40%",
     "", "apply --bits 32 --keys 2^20 --ops 2^16 --repeat 9", "apply --bits 32 --keys 2^23 --ops 2^20 --repeat 50;"
     "apply --bits 32 --keys 2^26 --ops 2^20 --repeat 9", "--keys 50K --ops 8192 --repeat 2", NULL},
    {"eirene-figure-10", "Eirene, figure 10", "nodes visited by a request",
     "A100\n67% fewer than the others at 2^23 keys", "ablations", "eirene", "eirene", "--quick --repeat 2",
     "nodes_per_request; leaves do not know how far the way to the right is worth it: it is tried"},
    {"eirene-figure-11", "Eirene, figure 11", "what combining gives",
     "A100\n6.3 times transactions, 13.7 with locality", "ycsb",
     "B --dist uniform --structure map --keys 1M --ops 2^18 --batch 2^16 --no-latency --engine calls",
     "B --dist uniform --structure map --keys 2^23 --ops 2^22 --batch 2^20 --engine calls",
     "--keys 50K --ops 2^14 --batch 2^13 --repeat 2", "map-apply combines, map[] does not; 64 bits"},
    {"eirene-figure-13", "Eirene, figure 13", "ranges of 4 and of 8", A100 "1,181, 1,034; with locks 235, 175", "",
     "range-limit --bits 32 --keys 2^20 --ops 2^18 --length 4,8;"
     "apply --bits 32 --keys 2^20 --ops 2^18 --length 4,8 --updates 0",
     "range-limit --bits 32 --keys 2^23 --ops 2^20 --length 4,8 --repeat 3;"
     "apply --bits 32 --keys 2^23 --ops 2^20 --length 4,8 --updates 0 --repeat 3",
     "--keys 50K --ops 8192 --repeat 2", "by array calls, and in batches"},
    /* ---- GFSL ---- */
    {"gfsl-table-2", "GFSL, table II; thesis, tables 5.1, 5.2",
     "threads of a block, 10% inserts, 10% deletes, range 1M",
     GTX970 "8, 16, 24, 32 warps: skiplist 58.9, 65.7, 62.5, 52.9; lock-free 20.7, 21.3, 20.6, 20.2", "gfsl",
     NULL,
     "--structure skiplist,lockfree --chunk 32 --range 1M --mix 10-10-80 --no-array --block 256;"
     "--structure skiplist,lockfree --chunk 32 --range 1M --mix 10-10-80 --no-array --block 512;"
     "--structure skiplist,lockfree --chunk 32 --range 1M --mix 10-10-80 --no-array --block 1024",
     "--range 50K --ops 20K --runs 1", "a CPU has no blocks; a thread for each operation, theirs has a team"},
    {"gfsl-figure-8", "GFSL, figures 8, 9",
     "mixes of inserts, deletes and contains, by range, beside a lock-free skiplist",
     "GTX 970, skiplist over lock-free\n10K keys 0.53 times, 10M 6.8 to 11.6 times", "gfsl",
     "--structure skiplist,lockfree --mix 1-1-98,5-5-90,10-10-80,20-20-60 --no-array",
     "--structure skiplist,lockfree --chunk 32 --mix 1-1-98,5-5-90,10-10-80,20-20-60 --no-array "
     "--range 10K,100K,1M,10M",
     "--range 10K --ops 20K --runs 1", NULL},
    {"gfsl-figure-10", "GFSL, figure 10", "contains, inserts, deletes alone, by range",
     "GTX 970, skiplist over lock-free\ncontains up to 4.4 times, inserts 3.5 to 9.1, deletes 3.5 to 12.6",
     "gfsl",
     "--structure skiplist,lockfree --mix contains,insert,delete", "--structure skiplist,lockfree --chunk 32 "
     "--mix contains,insert,delete --range 10K,100K,1M,10M", "--range 10K --ops 20K --runs 1", NULL},
    {"gfsl-figure-5.1", "Moscovici's thesis, figure 5.1", "chunks of 16 and of 32 slots",
     "GTX 970\n32 up to 28% faster in large ranges", "gfsl",
     "--structure skiplist,lockfree --chunk 16,32 --mix 10-10-80 --no-array",
     "--structure skiplist,lockfree --chunk 16,32 --mix 10-10-80 --no-array --range 10K,100K,1M,10M",
     "--range 10K --ops 20K --runs 1", NULL},
    /* ---- what choices are worth ---- */
    {"ablation-latch", "Awad, section 3.3.5", "inserts that meet a latched node: begin again, spin, or back off",
     "TITAN V, tree of 2^16 keys\nbeginning again 6.39 times as fast as spinning, backing off 1.47 times",
     "ablations", "latch", "latch", "--quick --repeat 2", "a thread an operation, theirs has a warp"},
    {"ablation-splits", "Awad, section 3.3.4", "full nodes split on the way down, or from the leaf upwards",
     "no figures", "ablations", "splits", "splits", "--quick --repeat 2", NULL},
    {"ablation-loads", "Awad, section 3.4.2", "fences, and loads past L1, against none",
     "TITAN V, 2^16 keys\nbuilding is 1.77 times as fast without both, in runs that went well", "ablations",
     "loads", "loads", "--quick --repeat 2", "without them finds alone, which are right then"},
    {"ablation-reclaim", "Awad, section 4.4.4", "epochs entered by the whole launch, by blocks, or by tiles",
     "no figures",
     "ablations", "reclaim", "reclaim", "--quick --repeat 2", "values in cells, not versions of nodes"},
    {"ablation-palm-leaves", "PALM, appendix B.2", "leaves that are appended to, or kept in order", "no figures",
     "ablations", "palm-leaves", NULL, "--quick --repeat 2", "one thread, a tree of its own"},
    {"ablation-palm-parents", "PALM, appendix B.1", "parent pointers, or the way down kept for each operation",
     "no figures", "ablations", "palm-parents", NULL, "--quick --repeat 2", "one thread, a tree of its own"},
    /* ---- pleach's own ---- */
    {"own-maps", "pleach", "operations of the map, 32 and 64 bits", NULL, "",
     OPERATIONS SINGLE "--bits 32 --repeat 3;" OPERATIONS SINGLE "--bits 64 --repeat 3;"
     "mixed-range mixed-erase mixed-all --bits 64 --repeat 3",
     OPERATIONS "--bits 32 --repeat 3;" OPERATIONS "--bits 64 --repeat 3; mixed-range --bits 64 --repeat 3;"
     "mixed-erase mixed-all --bits 64 --repeat 3", "--quick --keys 20K --ops 2^12 --repeat 1", NULL},
    {"own-long", "pleach", "long queries and single ones, from host arrays to host arrays, 64 bits", NULL, "",
     LONG_QUERIES "--bits 64;" LONG_QUERIES "--bits 64 --versioned;" LONG_QUERIES "--bits 64 --structure skiplist",
     LONG_QUERIES "--keys 2^24 --bits 64;" LONG_QUERIES "--keys 2^24 --bits 64 --versioned;"
     LONG_QUERIES "--keys 2^24 --bits 64 --structure skiplist; long-export --keys 2^26 --bits 64 --versioned;"
     "long-export --keys 2^16 --bits 64 --versioned",
     "--quick --keys 20K --repeat 1", NULL},
    {"own-hash", "pleach", "hash tables beside the map, 32 and 64 bits", NULL, "",
     "hash --bits 32 --repeat 3; hash --bits 64 --repeat 3", "hash --bits 32 --repeat 3; hash --bits 64 --repeat 3",
     "--quick --keys 20K --repeat 1", NULL},
    {"own-ycsb", "pleach", "the core workloads of YCSB on all structures, 64 bits", NULL, "ycsb",
     "A B C D E F --rivals --repeat 3",
     "A B C --no-latency --repeat 3; D F --no-latency --repeat 3; E --no-latency --ops 2M --repeat 3",
     "--keys 20K --ops 2^13 --batch 2^12 --repeat 1", "a CPU has other stores beside them"},
    {"own-baselines-64", "pleach", "the baselines of the dissertation beside the map, 64 bits", NULL, "baselines",
     "find range succ insert erase grow --bits 64",
     "find --bits 64; range --bits 64; succ --bits 64; insert --bits 64; erase --bits 64; grow --bits 64",
     "--quick --keys 5K --repeat 1", "a tree with coupled latches gets fewer keys"},
    {"own-graph-queries", "pleach", "edges looked for, degrees, neighbours", NULL, "graph", "queries --runs 3",
     "queries --scale 18 --runs 3", "--scale 10 --runs 1", "made graphs of four classes"},
};
const size_t paper_experiment_count = sizeof paper_experiments / sizeof paper_experiments[0];
