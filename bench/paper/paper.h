/* paper.h - the experiments of the papers that pleach follows, by name, and pleach's own beside them: 'pleach-bench
 * paper'. */
#ifndef PLEACH_BENCH_PAPER_H
#define PLEACH_BENCH_PAPER_H

#include <stdbool.h>
#include <stddef.h>

struct paper_experiment {
    const char *name;
    const char *source;  /* which table or figure of which paper */
    const char *what;    /* is measured there */
    const char *theirs;  /* machine, and what it reached; lines. NULL: it is of no paper, but pleach's own */
    const char *command; /* the words after 'pleach-bench' that run it, may be ""; NULL: it cannot be run */
    const char *cpu, *gpu; /* words after these, of several runs with ; between them; NULL: it does not run there */
    const char *small;   /* words that make it short */
    const char *note;    /* how ours differs from theirs, or why there is none */
};

/* paper_list.c */
extern const struct paper_experiment paper_experiments[];
extern const size_t paper_experiment_count;

#endif
