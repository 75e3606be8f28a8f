/* crew.h - threads that stay, for work that comes in many small pieces.
 *
 * crew_run hands one function to all threads, the caller included, and returns when each has done its part. Waiting
 * threads look for work for some microseconds before they sleep, so handing over costs little while pieces follow
 * closely; they do not look when there are more threads than CPUs.
 */
#ifndef PLEACH_TOOLS_CREW_H
#define PLEACH_TOOLS_CREW_H

#include <stdbool.h>
#include <stddef.h>

struct crew;

typedef void crew_part(void *context, unsigned index);
typedef void crew_slice(void *context, size_t begin, size_t end);

/* NULL when memory or threads are lacking. */
struct crew *crew_create(unsigned threads);

void crew_destroy(struct crew *crew);

unsigned crew_threads(const struct crew *crew);

/* Runs part(context, index) once for each index below the number of threads. One caller at a time. */
void crew_run(struct crew *crew, crew_part *part, void *context);

/* Cuts 0 .. count-1 into one slice per thread. */
void crew_share(struct crew *crew, size_t count, crew_slice *slice, void *context);

#endif
