#define _DEFAULT_SOURCE 1
#include "edge_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edge_read.h"
#include "tools/common/out_file.h"
#include "tools/common/text_out.h"

static bool fail(struct edge_error *error, const char *path, const char *why)
{
    error->fault = EDGE_CANNOT;
    snprintf(error->text, sizeof error->text, "cannot write %.300s: %s", path, why);
    return false;
}

static void write_comment(struct text_out *out, const char *mark, const char *comment)
{
    if (comment == NULL) return;
    text_out_string(out, mark);
    text_out_string(out, comment);
    text_out_char(out, '\n');
}

static void write_numbers(struct text_out *out, char between, size_t count, const uint64_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        text_out_number(out, numbers[i]);
        text_out_char(out, i + 1 < count ? between : '\n');
    }
}

static void write_snap(struct text_out *out, const struct edge_list *list, const char *comment)
{
    text_out_string(out, list->undirected ? "# Undirected graph\n" : "# Directed graph\n");
    write_comment(out, "# ", comment);
    if (list->declared > 0) {
        text_out_string(out, "# Nodes: ");
        text_out_number(out, list->declared);
        text_out_string(out, " Edges: ");
        text_out_number(out, list->count);
        text_out_char(out, '\n');
    }
    for (size_t i = 0; i < list->count && out->error == 0; i++) {
        const uint64_t line[3] = {list->from[i], list->to[i], list->timed ? list->time[i] : 0};
        write_numbers(out, '\t', list->timed ? 3 : 2, line);
    }
}

static void write_mtx(struct text_out *out, const struct edge_list *list, const char *comment)
{
    const uint64_t limit = edge_list_id_limit(list), vertices = list->declared > limit ? list->declared : limit;
    const uint64_t sizes[3] = {vertices, vertices, list->count};
    text_out_string(out, "%%MatrixMarket matrix coordinate pattern ");
    text_out_string(out, list->undirected ? "symmetric\n" : "general\n");
    write_comment(out, "% ", comment);
    write_numbers(out, ' ', 3, sizes);
    for (size_t i = 0; i < list->count && out->error == 0; i++) {
        /* Of a symmetric matrix the format has the lower triangle. */
        const bool turned = list->undirected && list->from[i] < list->to[i];
        const uint64_t line[2] = {(uint64_t)(turned ? list->to[i] : list->from[i]) + 1,
                                  (uint64_t)(turned ? list->from[i] : list->to[i]) + 1};
        write_numbers(out, ' ', 2, line);
    }
}

static bool is_compressed(const char *path)
{
    const char *const end = strrchr(path, '.');
    return end != NULL && (strcmp(end, ".gz") == 0 || strcmp(end, ".xz") == 0);
}

/* Writes all to the open file; what went wrong, as errno says it, or 0. */
static int write_all(int file, enum edge_format format, const struct edge_list *list, const char *comment)
{
    struct text_out *const out = malloc(sizeof *out);
    if (out == NULL) return ENOMEM;
    text_out_start(out, file);
    if (format == EDGE_MTX)
        write_mtx(out, list, comment);
    else
        write_snap(out, list, comment);
    text_out_flush(out);
    const int failure = out->error;
    free(out);
    return failure;
}

/* A file is complete or as it was before (out_file.h); here without a stream, because lines are many. */
static bool write_file(const char *path, enum edge_format format, const struct edge_list *list, const char *comment,
                       struct edge_error *error)
{
    struct new_file file;
    pleach_status status = new_file_begin(&file, path);
    if (status != PLEACH_OK) return fail(error, path, out_file_reason(status == PLEACH_E_MEMORY ? ENOMEM : errno));
    const int failure = write_all(file.descriptor, format, list, comment);
    if (failure != 0) {
        new_file_discard(&file);
        return fail(error, path, strerror(failure));
    }
    return new_file_finish(&file) == PLEACH_OK || fail(error, path, out_file_reason(errno));
}

bool edge_write(const char *path, const struct edge_list *list, const char *comment, struct edge_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    const enum edge_format format = edge_format_of(path);
    error->fault = EDGE_FINE;
    if (is_compressed(path)) return fail(error, path, "write it plain, and compress it afterwards");
    if (format == EDGE_METIS) return fail(error, path, "METIS files can be read only; choose .mtx, or .el for lines");
    if (format == EDGE_MTX && list->timed) return fail(error, path, "a Matrix Market file has no times; choose .el");
    if (!standard) return write_file(path, format, list, comment, error);
    const int failure = write_all(STDOUT_FILENO, format, list, comment);
    return failure == 0 || fail(error, "standard output", strerror(failure));
}
