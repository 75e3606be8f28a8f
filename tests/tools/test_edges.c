/* test_edges.c - files of edges: every format in every compression, and every message with its line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/edges/edge_files.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"
#include "tools/edges/edge_read.h"
#include "tools/edges/edge_write.h"

static size_t files_read, files_refused;

static const struct edge_read_options usual, temporal = {.temporal = true};

static bool try_read(const folder *f, const struct edge_read_options *options, struct edge_list *list,
                     struct edge_error *error)
{
    const bool good = edge_read(f->path, options, list, error);
    assert_int_equal(good, error->fault == EDGE_FINE);
    if (good)
        files_read++;
    else
        files_refused++;
    if (!good) assert_true(list->count == 0 && list->from == NULL && list->to == NULL && list->time == NULL);
    return good;
}

/* ---- what is right ---- */

static const struct good {
    const char *name, *text;
    bool temporal;
    uint64_t declared;
    bool undirected;
    const char *edges;
} goods[] = {
    {"a.el", "", false, 0, false, ""},
    {"a.el", "# no edge\n\n", false, 0, false, ""},
    {"a.el", "0 1\n1 2\n", false, 0, false, "0>1 1>2"},
    {"a.el", "0 1\r\n\r\n1 2", false, 0, false, "0>1 1>2"},
    {"a.txt", "# Undirected graph: x\n# Nodes: 7 Edges: 2\n 5\t3 \n% more\n3,5\n", false, 7, true, "5>3 3>5"},
    {"a", "4 4\n4294967294 0\n", false, 0, false, "4>4 4294967294>0"},
    {"a.csv", "1, 2, -0.5e3\n1 3 7 nan\n", false, 0, false, "1>2 1>3"},
    {"a.txt", "1 2 1082040961\n1\t2\t18446744073709551615\n", true, 0, false,
     "1>2@1082040961 1>2@18446744073709551615"},
    {"a.txt", "6,2,1289241911.72836,4\n6 5 1289241941 -10\n", true, 0, false, "6>2@1289241911 6>5@1289241941"},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% x\n\n3 3 2\n2 1\n3 3 \n", false, 3, true,
     "1>0 2>2"},
    {"a.MTX", "%%matrixmarket MATRIX Coordinate Real General\n3 3 2\n1 2 0.5\n% y\n3 1 -1e-3", false, 3, false,
     "0>1 2>0"},
    {"a.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -7\n", false, 2, true, "1>0"},
    {"a.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1.5 -2\n", false, 2, true, "1>0"},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", false, 0, false, ""},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n4294967295 4294967295 1\n4294967295 1\n", false,
     4294967295, false, "4294967294>0"},
    {"a.graph", "% x\n4 2\n2\n1 4\n\n2\n", false, 4, true, "0>1 1>0 1>3 3>1"},
    {"a.metis", "2 1 1\n2 5\n% between\n1 5", false, 2, true, "0>1 1>0"},
    {"a.graph", "2 1 011 2\n7 8 2 5\n7 8 1 5\n\n% end\n", false, 2, true, "0>1 1>0"},
    {"a.graph", "3 1 110\n9 7 2\n9 7 1\n9 7\n", false, 3, true, "0>1 1>0"},
    {"a.graph", "3 1 100\n9 2\n9 1\n9\n", false, 3, true, "0>1 1>0"},
};

static void check_good(const folder *f, const struct good *good)
{
    struct edge_list list;
    struct edge_error error;
    if (!try_read(f, good->temporal ? &temporal : &usual, &list, &error)) fail_msg("%s", error.text);
    FREED char *text = text_of_list(&list);
    assert_string_equal(text, good->edges);
    assert_int_equal(list.declared, good->declared);
    assert_int_equal(list.undirected, good->undirected);
    edge_list_free(&list);
}

/* Whatever the extension says of compression, the first bytes decide. */
static void check_good_as(folder *f, const struct good *good, const char *extension, file_image image)
{
    char name[40];
    snprintf(name, sizeof name, "%s%s", good->name, extension);
    name_file(f, name);
    file_image_write(f->path, image.size, image.bytes);
    check_good(f, good);
    free(image.bytes);
}

static file_image plain_of(const char *text)
{
    file_image image = {strlen(text), must_alloc(strlen(text) + 1, 1)};
    memcpy(image.bytes, text, image.size);
    return image;
}

static void test_every_format(void)
{
    folder f = folder_open();
    for (size_t i = 0; i < COUNT_OF(goods); i++) {
        const struct good *good = &goods[i];
        check_good_as(&f, good, "", plain_of(good->text));
        check_good_as(&f, good, ".gz", plain_of(good->text));
#ifdef PLEACH_HAVE_ZLIB
        check_good_as(&f, good, ".gz", gzip_of(strlen(good->text), good->text, 1));
        check_good_as(&f, good, "", gzip_of(strlen(good->text), good->text, 3));
#endif
#ifdef PLEACH_HAVE_LZMA
        check_good_as(&f, good, ".xz", xz_of(strlen(good->text), good->text, 1));
        check_good_as(&f, good, "", xz_of(strlen(good->text), good->text, 3));
#endif
    }
    folder_close(&f);
}

/* ---- what is wrong ---- */

#define PATTERN "%%MatrixMarket matrix coordinate pattern general\n"

static const struct bad {
    const char *name, *text;
    const struct edge_read_options *options;
    unsigned line;
    const char *message; /* a part of it */
} bads[] = {
    {"a.el", "0 1\n# c\n0 4294967295\n", &usual, 3, "vertex id 4294967295 is too large: ids go up to 4294967294"},
    {"a.el", "99999999999999999999 1\n", &usual, 1, "the first vertex is above 2^64 - 1"},
    {"a.el", "18446744073709551616 1\n", &usual, 1, "above 2^64 - 1"},
    {"a.el", "0 1\n\n2\n", &usual, 3, "the line ends where the second vertex should be"},
    {"a.el", "0 1\n2", &usual, 2, "the line ends where the second vertex should be"},
    {"a.el", "0 -1\n", &usual, 1, "the second vertex should be a number, but has '-' in it"},
    {"a.el", "0 1x\n", &usual, 1, "has 'x' in it"},
    {"a.el", "0 1.5\n", &usual, 1, "has '.' in it"},
    {"a.el", "0 1\n\1 2\n", &usual, 2, "the byte 0x01"},
    {"a.el", "0 1 heavy\n", &usual, 1, "should be a number, not 'heavy'"},
    {"a.el", "0 1 1111111111222222222233333333334444444444555555555566666666667777\n", &usual, 1, "63 characters"},
    {"a.el", PATTERN "1 1 0\n", &usual, 1, "this is a Matrix Market file"},
    {"a.txt", "1 2 3\n1 2\n", &temporal, 2, "the line ends where the time should be"},
    {"a.txt", "1 2 -3\n", &temporal, 1, "the time should be a number"},
    {"a.txt", "1 2 3.4.5\n", &temporal, 1, "the time should be a number"},
    {"a.mtx", PATTERN "1 1 0\n", &temporal, 1, "only files of 'u v t' lines have times"},
    {"a.mtx", "", &usual, 1, "a Matrix Market file begins with"},
    {"a.mtx", "1 2\n", &usual, 1, "a Matrix Market file begins with"},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern\n", &usual, 1, "a Matrix Market file begins with"},
    {"a.mtx", "%%MatrixMarket vector coordinate pattern general\n", &usual, 1, "but a 'vector'"},
    {"a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", &usual, 1, "dense (array)"},
    {"a.mtx", "%%MatrixMarket matrix list real general\n", &usual, 1, "the format is 'list'"},
    {"a.mtx", "%%MatrixMarket matrix coordinate bits general\n", &usual, 1, "the values are 'bits'"},
    {"a.mtx", "%%MatrixMarket matrix coordinate real odd\n", &usual, 1, "the symmetry is 'odd'"},
    {"a.mtx", PATTERN "% c\n", &usual, 3, "the number of rows"},
    {"a.mtx", PATTERN "3 3\n", &usual, 2, "the number of entries"},
    {"a.mtx", PATTERN "3 3 1 1\n", &usual, 2, "the line should end"},
    {"a.mtx", PATTERN "3 4 1\n", &usual, 2, "3 rows and 4 columns"},
    {"a.mtx", PATTERN "4294967296 4294967296 0\n", &usual, 2, "4294967296 vertices are too many"},
    {"a.mtx", PATTERN "3 3 2\n1 2\n", &usual, 4, "the file ends after 1 entries, but its header says 2"},
    {"a.mtx", PATTERN "3 3 18446744073709551615\n1 2\n", &usual, 4, "the file ends after 1 entries"},
    {"a.mtx", PATTERN "3 3 1\n1 2\n2 3\n", &usual, 4, "more entries than the 1 of the header"},
    {"a.mtx", PATTERN "3 3 1\n0 2\n", &usual, 3, "the row is 0, but the matrix has 1 to 3"},
    {"a.mtx", PATTERN "3 3 1\n1 4\n", &usual, 3, "the column is 4"},
    {"a.mtx", PATTERN "3 3 1\n1 2 1\n", &usual, 3, "more on the line"},
    {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2\n", &usual, 3, "where the value should be"},
    {"a.mtx", "%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 2 1\n", &usual, 3, "where the value"},
    {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 one\n", &usual, 3, "not 'one'"},
    {"a.graph", "", &usual, 1, "the number of vertices"},
    {"a.graph", "% c\n3\n", &usual, 2, "the number of edges"},
    {"a.graph", "3 1 112\n", &usual, 1, "not 112"},
    {"a.graph", "3 1 1000\n", &usual, 1, "not 1000"},
    {"a.graph", "3 1 10 1001\n", &usual, 1, "more than 1000 weights"},
    {"a.graph", "3 1 10 1 1\n", &usual, 1, "the header should end"},
    {"a.graph", "4294967296 0\n", &usual, 1, "too many"},
    {"a.graph", "3 9223372036854775808\n", &usual, 1, "the number of edges is too large"},
    {"a.graph", "3 1\n2\n1\n", &usual, 4, "the file ends after the lines of 2 vertices, but its header says 3"},
    {"a.graph", "2 1\n2\n1\n\n1\n", &usual, 5, "more lines than the 2 vertices"},
    {"a.graph", "2 2\n2\n1\n", &usual, 4, "the header says 2 edges, so 4 neighbours in all, but there are 2"},
    {"a.graph", "2 1\n0\n1\n", &usual, 2, "neighbour 0 of vertex 1: the vertices are 1 to 2"},
    {"a.graph", "2 1\n2\n3\n", &usual, 3, "neighbour 3 of vertex 2"},
    {"a.graph", "2 1 1\n2\n1 1\n", &usual, 2, "the weight of an edge"},
    {"a.graph", "2 1 10\n1 2\n\n", &usual, 3, "the size or weight of the vertex"},
};

static void check_bad(const folder *f, const struct bad *bad)
{
    struct edge_list list;
    struct edge_error error;
    char place[300];
    snprintf(place, sizeof place, "%s:%u: ", f->path, bad->line);
    if (try_read(f, bad->options, &list, &error)) fail_msg("accepted: %s", bad->text);
    if (strncmp(error.text, place, strlen(place)) != 0 || strstr(error.text, bad->message) == NULL)
        fail_msg("'%s', not '%s...%s'", error.text, place, bad->message);
    assert_int_equal(error.fault, EDGE_BAD_FILE);
}

static void test_every_message(void)
{
    AT_END(folder_close) folder f = folder_open();
    for (size_t i = 0; i < COUNT_OF(bads); i++) {
        name_file(&f, bads[i].name);
        file_image_write(f.path, strlen(bads[i].text), (const uint8_t *)bads[i].text);
        check_bad(&f, &bads[i]);
    }
    struct edge_list list;
    struct edge_error error;
    name_file(&f, "missing");
    assert_false(try_read(&f, NULL, &list, &error));
    assert_int_equal(error.fault, EDGE_CANNOT);
    assert_non_null(strstr(error.text, "No such file"));
}

/* A format that was asked for counts more than the name. */
static void test_format_by_choice(void)
{
    AT_END(folder_close) folder f = folder_open();
    struct edge_list list;
    struct edge_error error;
    name_file(&f, "a.mtx");
    file_image_write(f.path, 4, (const uint8_t *)"1 0\n");
    assert_true(try_read(&f, &(struct edge_read_options){.format = EDGE_SNAP}, &list, &error));
    assert_int_equal(list.count, 1);
    edge_list_free(&list);
    assert_true(try_read(&f, &(struct edge_read_options){.format = EDGE_METIS}, &list, &error) == false);
}

/* ---- damaged compression ---- */

static void write_image(folder *f, size_t size, const uint8_t *bytes)
{
    name_file(f, "a.el");
    file_image_write(f->path, size, bytes);
}

#if defined PLEACH_HAVE_ZLIB || defined PLEACH_HAVE_LZMA
static const char sample[] = "# Nodes: 9 Edges: 3\n0 1\n1 2\n7 8\n";

/* Cut off anywhere it is refused; with any bit turned it is refused, or holds the same. */
static void check_damage(file_image image, const char *named)
{
    AT_END(folder_close) folder f = folder_open();
    struct edge_list list;
    struct edge_error error;
    for (size_t size = 1; size < image.size; size++) {
        write_image(&f, size, image.bytes);
        assert_false(try_read(&f, NULL, &list, &error));
        assert_int_equal(error.fault, EDGE_BAD_FILE);
        if (size > 20 && strstr(error.text, named) == NULL) fail_msg("'%s'", error.text);
        if (size > 20) assert_non_null(strstr(error.text, "cut off"));
    }
    for (size_t bit = 0; bit < 8 * image.size; bit++) {
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_image(&f, image.size, image.bytes);
        if (try_read(&f, NULL, &list, &error)) {
            FREED char *text = text_of_list(&list);
            assert_string_equal(text, "0>1 1>2 7>8");
            edge_list_free(&list);
        }
        image.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(image.bytes);
}
#endif

#if !defined PLEACH_HAVE_ZLIB || !defined PLEACH_HAVE_LZMA
static void check_lacking(size_t size, const uint8_t *magic, const char *package)
{
    AT_END(folder_close) folder f = folder_open();
    struct edge_list list;
    struct edge_error error;
    write_image(&f, size, magic);
    assert_false(try_read(&f, NULL, &list, &error));
    assert_int_equal(error.fault, EDGE_CANNOT);
    assert_non_null(strstr(error.text, package));
}
#endif

static void test_damaged_gzip(void)
{
#ifdef PLEACH_HAVE_ZLIB
    check_damage(gzip_of(strlen(sample), sample, 1), "gzip");
#else
    check_lacking(6, (const uint8_t *)"\x1f\x8b\x08\0\0\0", "zlib1g-dev");
#endif
}

static void test_damaged_xz(void)
{
#ifdef PLEACH_HAVE_LZMA
    check_damage(xz_of(strlen(sample), sample, 1), "xz");
#else
    check_lacking(6, (const uint8_t *)"\xfd" "7zXZ", "liblzma-dev");
#endif
}

/* ---- large files ---- */

static void make_random(struct edge_list *list, bool timed, size_t count, uint64_t ids, uint64_t part)
{
    rng random = rng_for(test_seed(), part);
    edge_list_start(list, timed);
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = (uint32_t)rng_below(&random, ids), to = (uint32_t)rng_below(&random, ids);
        assert_true(edge_list_append(list, from, to, rng_next(&random) >> rng_below(&random, 64)));
    }
}

/* Written, compressed and read again: numbers fall on all borders of the buffers. */
static void check_round_trip(const struct edge_list *list, const char *name)
{
    folder f = folder_open();
    struct edge_list again;
    struct edge_error error;
    const struct edge_read_options *options = list->timed ? &temporal : &usual;
    name_file(&f, name);
    if (!edge_write(f.path, list, "made by a test", &error)) fail_msg("%s", error.text);
    file_image plain = file_image_read(f.path);
    for (unsigned compression = 0; compression < 3; compression++) {
        file_image image = {plain.size, NULL};
#ifdef PLEACH_HAVE_ZLIB
        if (compression == 1) image = gzip_of(plain.size, plain.bytes, 2);
#endif
#ifdef PLEACH_HAVE_LZMA
        if (compression == 2) image = xz_of(plain.size, plain.bytes, 2);
#endif
        file_image_write(f.path, image.size, image.bytes != NULL ? image.bytes : plain.bytes);
        if (!try_read(&f, options, &again, &error)) fail_msg("%s", error.text);
        assert_same_lists(list, &again);
        edge_list_free(&again);
        free(image.bytes);
    }
    free(plain.bytes);
    folder_close(&f);
}

static void test_large_files(void)
{
    const size_t count = shrunk(150000, 60000);
    struct edge_list list;
    make_random(&list, false, count, UINT32_MAX, 1);
    check_round_trip(&list, "a.el");
    list.declared = UINT32_MAX;
    check_round_trip(&list, "a.mtx");
    edge_list_free(&list);
    make_random(&list, true, count, UINT32_MAX, 2);
    check_round_trip(&list, "a.el");
    edge_list_free(&list);
    make_random(&list, false, count, UINT32_MAX, 3);
    list.undirected = true;
    list.declared = UINT32_MAX;
    for (size_t i = 0; i < list.count; i++)
        if (list.from[i] < list.to[i]) list.from[i] = list.to[i]; /* the lower triangle, which is not turned */
    check_round_trip(&list, "a.mtx");
    edge_list_free(&list);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT_NAMED("every format, in every compression", test_every_format),
        UNIT_NAMED("every message, with its line", test_every_message),
        UNIT_NAMED("a format by choice", test_format_by_choice),
        UNIT_NAMED("damaged gzip files", test_damaged_gzip),
        UNIT_NAMED("damaged xz files", test_damaged_xz),
        UNIT_NAMED("large files", test_large_files),
    };
    const int status = run_units("test_edges", argc, argv, cases, COUNT_OF(cases));
    printf("test_edges: %zu files read, %zu refused\n", files_read, files_refused);
    return status;
}
