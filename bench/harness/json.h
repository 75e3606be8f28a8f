/* json.h - a JSON file as a tree of values, as much of it as results of benchmarks need. */
#ifndef PLEACH_BENCH_JSON_H
#define PLEACH_BENCH_JSON_H

#include <stddef.h>
#include <stdio.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    double number;
    char *text;         /* of a string; ends with 0 */
    char *name;         /* where it is a member of an object */
    struct json *first; /* of an array or an object, in the file's order */
    struct json *next;
};

/* The whole file; NULL with the reason, and where, in `why`. */
struct json *json_read(const char *path, char *why, size_t size);
void json_free(struct json *value);

/* A member of an object; NULL: `object` is NULL or none, or has no such member. */
const struct json *json_member(const struct json *object, const char *name);

/* Text between quotation marks, with what JSON has a meaning for replaced. */
void json_write_text(FILE *file, const char *text);

/* Of a member: its number or text, or what is given where there is none of this kind. */
double json_number(const struct json *object, const char *name, double otherwise);
const char *json_text(const struct json *object, const char *name, const char *otherwise);

#endif
