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

/* What is said of a rival that this build lacks is here; of the others it is the same. */
const struct rival_entry rival_list[] = {
    {"sorted", "baseline: a sorted array; binary search, inserts of a group sorted and merged into a new array", NULL,
     &rival_sorted},
    {"std-map", "peer: std::map of the C++ library, a red-black tree", "g++", STD_MAP},
    {"absl-btree", "peer: absl::btree_map of Abseil, a B-tree", "libabsl-dev", ABSL_BTREE},
    {"gtree", "peer: GTree of GLib, an AVL tree", "libglib2.0-dev", GTREE},
    {"judy", "peer: JudyL, a 256-ary trie with compressed nodes", "libjudy-dev", JUDY},
    {"lmdb", "peer: LMDB, a copy-on-write B+ tree with a transaction a call; in memory, never synced", "liblmdb-dev",
     LMDB},
};
const size_t rival_count = sizeof rival_list / sizeof rival_list[0];

void rivals_print(void)
{
    printf("%-12s %-15s %-17s %s\n", "name", "in this build", "Debian package", "what it is");
    for (size_t i = 0; i < rival_count; i++) {
        const struct rival_entry *entry = &rival_list[i];
        printf("%-12s %-15s %-17s %s\n", entry->name, entry->rival != NULL ? "yes" : "no",
               entry->package != NULL ? entry->package : "-", entry->what);
        if (entry->rival != NULL && !entry->rival->concurrent)
            printf("%-46s not safe for concurrent calls: from two threads on, one reader-writer lock around it\n", "");
    }
}
