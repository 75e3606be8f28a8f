/* graph_bench_seed.c - the graphs of the dissertation, and what it measured on them with a TITAN V. */
#include "graph_bench.h"

/* ldoor, the stiffness matrix of a car's door, is nearest to points in a plane. */
const struct seed_graph seed_graphs[SEED_GRAPHS] = {
    {"luxembourg_osm", CLASS_ROAD, 0.239, 0.184, 5.562, 0.31, 0.57, 1.01, 58.13, 0.07},
    {"germany_osm", CLASS_ROAD, 24.7, 12.407, 330.311, 29.69, 26.31, 16.61, 5260, 4.84},
    {"road_usa", CLASS_ROAD, 57.71, 27.910, 644.308, 66.20, 51.57, 39.19, 10875, 12.65},
    {"delaunay_n23", CLASS_DELAUNAY, 50.3, 19.590, 273.532, 56.38, 25.74, 21.14, 3854, 18.98},
    {"delaunay_n20", CLASS_DELAUNAY, 6.3, 2.494, 37.68, 6.43, 3.35, 2.92, 503.29, 2.48},
    {"rgg_n_2_20_s0", CLASS_RGG, 13.8, 5.053, 37.084, 23.24, 6.42, 7.35, 496.85, 8.62},
    {"rgg_n_2_24_s0", CLASS_RGG, 265.1, 97.886, 0, 493.6, 154.75, 165.86, 7753, 178.37},
    {"coAuthorsDBLP", CLASS_SOCIAL, 1.9, 0.835, 11.672, 6.98, 1.20, 4.75, 136.89, 7.36},
    {"ldoor", CLASS_RGG, 45.5, 15.936, 46.486, 222.07, 22.09, 48.04, 442.15, 175.12},
    {"soc-LiveJournal1", CLASS_SOCIAL, 85.7, 26.176, 179.879, 1526, 482.98, 705.71, 2226, 20428},
    {"soc-orkut", CLASS_SOCIAL, 212.7, 39.907, 0, 6758, 3832, 8986, 1404, 41833},
    {"hollywood-2009", CLASS_SOCIAL, 112.8, 42.387, 90.705, 11060, 9784, 57311, 540.30, 8504},
};
