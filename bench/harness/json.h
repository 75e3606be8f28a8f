/* json.h - what the writers of results in JSON have in common. */
#ifndef PLEACH_BENCH_JSON_H
#define PLEACH_BENCH_JSON_H

#include <stdio.h>

/* Text between quotation marks, with what JSON has a meaning for replaced. */
void json_write_text(FILE *file, const char *text);

#endif
