/* testkit/skiplists.h - maps that are skiplists, of every shape. */
#ifndef PLEACH_TESTS_SKIPLISTS_H
#define PLEACH_TESTS_SKIPLISTS_H

#include "wide.h"

typedef struct shape {
    unsigned chunk; /* slots, two of which hold no pair */
    double raise;   /* the chance that a new chunk is entered above */
} shape;

enum { SHAPES = 6 };
extern const shape shapes[SHAPES];

/* A case that is run with each shape; cmocka names the case, and this the shape. */
typedef struct shape_case {
    void (*run)(const setting *where, shape s);
} shape_case;

void with_every_shape(const setting *where, const void *what);
#define EVERY_SHAPE(title, function) CASE_WITH(title, with_every_shape, &((const shape_case){function}))

pleach_map_config skiplist_config(const setting *where, shape s);
wide open_shape(const setting *where, shape s);

uint64_t chunk_bytes(const wide *w, shape s);

#endif
