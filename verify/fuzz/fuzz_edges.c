/* fuzz_edges.c - files of edges in every format from any bytes, compressed ones too. What is refused is refused with a
 * line that the file has; what is accepted is written and read again, and must be the same.
 *
 * THE INPUT   a byte for format and times, then the file.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/edges/edge_read.h"
#include "../../tools/edges/edge_summary.h"
#include "../../tools/edges/edge_write.h"
#include "fuzz.h"

enum { FORMATS = 3 };

static int input_file;
static char input_path[40], folder[64], again_path[80];

static void refill(int file, size_t size, const uint8_t *bytes)
{
    CHECK(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size, "write the file");
}

static void check_refusal(const struct edge_error *error, const uint8_t *bytes, size_t size)
{
    const size_t name = strlen(input_path);
    unsigned long long lines = 1, line;
    const bool compressed = size > 1 && (bytes[0] == 0x1f || bytes[0] == 0xfd);
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    CHECK(error->fault != EDGE_FINE && strlen(error->text) < sizeof error->text - 1, "'%s'", error->text);
    CHECK(strncmp(error->text, input_path, name) == 0 && sscanf(error->text + name, ":%llu: ", &line) == 1,
          "no place in '%s'", error->text);
    CHECK(line >= 1 && (compressed || line <= lines), "line %llu of %llu", line, lines);
}

static void check_list(const struct edge_list *list, enum edge_format format)
{
    const uint64_t limit = format == EDGE_SNAP ? (uint64_t)EDGE_MOST_ID + 1 : list->declared;
    struct edge_summary summary;
    CHECK(edge_list_id_limit(list) <= limit, "ids up to %llu", (unsigned long long)edge_list_id_limit(list));
    CHECK(edge_summarize(list, &summary), "no memory");
    CHECK(summary.edges + summary.self_loops <= list->count, "more edges than lines");
    CHECK(summary.edges <= summary.directed && summary.directed <= 2 * summary.edges, "directed edges");
    CHECK(summary.max_degree < summary.vertices || summary.vertices == 0, "more neighbours than vertices");
}

static void check_again(const struct edge_list *list)
{
    struct edge_list again;
    struct edge_error error;
    CHECK(edge_write(again_path, list, NULL, &error), "%s", error.text);
    const struct edge_read_options options = {.format = EDGE_SNAP, .temporal = list->timed};
    CHECK(edge_read(again_path, &options, &again, &error), "%s", error.text);
    CHECK(again.count == list->count && again.declared == list->declared && again.undirected == list->undirected,
          "another list");
    for (size_t i = 0; i < list->count; i++) {
        CHECK(again.from[i] == list->from[i] && again.to[i] == list->to[i], "edge %zu", i);
        CHECK(!list->timed || again.time[i] == list->time[i], "time %zu", i);
    }
    edge_list_free(&again);
}

static void remove_folder(void)
{
    unlink(again_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    input_file = memfd_create("edges", 0);
    CHECK(input_file >= 0, "memfd_create");
    snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input_file);
    /* In memory where that is possible: writing waits for the disk. */
    snprintf(folder, sizeof folder, "%s/pleach-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL, "mkdtemp");
    snprintf(again_path, sizeof again_path, "%s/again", folder);
    atexit(remove_folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, data + size};
    const unsigned form = take_byte(&in);
    const size_t length = (size_t)(in.end - in.at);
    const enum edge_format format = (enum edge_format)(EDGE_SNAP + form % FORMATS);
    const struct edge_read_options options = {.format = format, .temporal = form / FORMATS % 2 == 1};
    struct edge_list list;
    struct edge_error error;
    refill(input_file, length, in.at);
    if (edge_read(input_path, &options, &list, &error)) {
        check_list(&list, format);
        check_again(&list);
        edge_list_free(&list);
    } else {
        check_refusal(&error, in.at, length);
    }
    return 0;
}
