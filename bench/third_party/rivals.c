#include "rivals.h"

#include <stdio.h>

#ifdef PLEACH_HAVE_LMDB
extern const struct rival rival_lmdb;
#define LMDB &rival_lmdb
#else
#define LMDB NULL
#endif

#ifdef PLEACH_HAVE_JUDY
extern const struct rival rival_judy;
#define JUDY &rival_judy
#else
#define JUDY NULL
#endif

#ifdef PLEACH_HAVE_GLIB
extern const struct rival rival_gtree;
#define GTREE &rival_gtree
#else
#define GTREE NULL
#endif

#ifdef PLEACH_HAVE_CXX
extern const struct rival rival_std_map;
#define STD_MAP &rival_std_map
#else
#define STD_MAP NULL
#endif

#ifdef PLEACH_HAVE_ABSL
extern const struct rival rival_absl_btree;
#define ABSL_BTREE &rival_absl_btree
#else
#define ABSL_BTREE NULL
#endif

extern const struct rival rival_sorted;

const struct rival_entry rival_list[] = {
    {"sorted", RIVAL_BASELINE, NULL, &rival_sorted,
     "a sorted array; binary search, inserts of a group sorted and merged into a new array"},
    {"std-map", RIVAL_PEER, "g++", STD_MAP, "std::map of the C++ library, a red-black tree"},
    {"absl-btree", RIVAL_PEER, "libabsl-dev", ABSL_BTREE, "absl::btree_map of Abseil, a B-tree"},
    {"gtree", RIVAL_PEER, "libglib2.0-dev", GTREE, "GTree of GLib, an AVL tree"},
    {"judy", RIVAL_PEER, "libjudy-dev", JUDY, "JudyL, a 256-ary trie with compressed nodes"},
    {"lmdb", RIVAL_PEER, "liblmdb-dev", LMDB,
     "LMDB, a copy-on-write B+ tree, a transaction a call; in /dev/shm if there is room, never synced"},
};
const size_t rival_count = sizeof rival_list / sizeof rival_list[0];

void rivals_print(void)
{
    printf("%-12s %-9s %-14s %-15s %s\n", "name", "kind", "in this build", "Debian package", "what it is");
    for (size_t i = 0; i < rival_count; i++) {
        const struct rival_entry *entry = &rival_list[i];
        printf("%-12s %-9s %-14s %-15s %s\n", entry->name, entry->kind == RIVAL_PEER ? "peer" : "baseline",
               entry->rival != NULL ? "yes" : "no", entry->package != NULL ? entry->package : "-", entry->what);
    }
    printf("\nFrom two threads on there is one reader-writer lock around each peer but lmdb: the others' calls are\n"
           "not safe at the same time.\n");
}
