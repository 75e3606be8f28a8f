/* edge_read_mtx.c - Matrix Market files in coordinate format: an entry (i, j) is an edge i-1 -> j-1.
 *
 * A matrix with a symmetry (symmetric, skew-symmetric, hermitian) holds one triangle, and makes an undirected list.
 * Values are passed over.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "edge_readers.h"

struct banner {
    unsigned values; /* behind each pair of indices */
    bool symmetric;
};

/* What an entry has behind its indices. */
static bool read_field(struct edge_input *in, const char *word, struct banner *banner)
{
    static const struct {
        const char *name;
        unsigned values;
    } fields[] = {{"pattern", 0}, {"real", 1}, {"integer", 1}, {"complex", 2}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcasecmp(word, fields[i].name) != 0) continue;
        banner->values = fields[i].values;
        return true;
    }
    return edge_input_fail(in, "the values are '%s', not one of pattern, real, integer, complex", word);
}

static bool read_symmetry(struct edge_input *in, const char *word, struct banner *banner)
{
    banner->symmetric = strcasecmp(word, "general") != 0;
    if (!banner->symmetric || strcasecmp(word, "symmetric") == 0 || strcasecmp(word, "skew-symmetric") == 0 ||
        strcasecmp(word, "hermitian") == 0)
        return true;
    return edge_input_fail(in, "the symmetry is '%s', not one of general, symmetric, skew-symmetric, hermitian", word);
}

static bool read_banner(struct edge_input *in, struct banner *banner)
{
    char line[200], start[20], object[20], layout[20], field[20], symmetry[20];
    edge_read_rest(in, line, sizeof line);
    if (!edge_input_good(in)) return false;
    for (char *c = line; *c != '\0'; c++)
        if ((*c < ' ' && *c != '\t' && *c != '\r') || *c > '~') *c = '?'; /* messages show its words */
    if (sscanf(line, "%19s %19s %19s %19s %19s", start, object, layout, field, symmetry) != 5 ||
        strcasecmp(start, "%%MatrixMarket") != 0)
        return edge_input_fail(in, "a Matrix Market file begins with a line like '%%%%MatrixMarket matrix coordinate "
                                   "pattern symmetric'; this one does not");
    if (strcasecmp(object, "matrix") != 0) return edge_input_fail(in, "this holds no matrix, but a '%s'", object);
    if (strcasecmp(layout, "array") == 0)
        return edge_input_fail(in, "the matrix is dense (array); only the coordinate format, which lists edges, "
                                   "can be read");
    if (strcasecmp(layout, "coordinate") != 0)
        return edge_input_fail(in, "the format is '%s', not coordinate", layout);
    if (!read_field(in, field, banner) || !read_symmetry(in, symmetry, banner)) return false;
    edge_next_line(in);
    return true;
}

static bool read_sizes(struct edge_input *in, struct edge_list *list, uint64_t *entries)
{
    uint64_t rows = 0, columns = 0;
    edge_skip_comments(in, '%');
    if (!edge_read_number(in, "the number of rows", &rows) ||
        !edge_read_number(in, "the number of columns", &columns) ||
        !edge_read_number(in, "the number of entries", entries))
        return false;
    if (!edge_at_line_end(in)) return edge_input_fail(in, "after rows, columns and entries the line should end");
    if (rows != columns)
        return edge_input_fail(in, "a graph's matrix is square, but this one has %llu rows and %llu columns",
                               (unsigned long long)rows, (unsigned long long)columns);
    if (rows > (uint64_t)EDGE_MOST_ID + 1)
        return edge_input_fail(in, "%llu vertices are too many: %llu is the most", (unsigned long long)rows,
                               (unsigned long long)EDGE_MOST_ID + 1);
    list->declared = rows;
    edge_next_line(in);
    return edge_keep_room(in, list, *entries);
}

static bool read_index(struct edge_input *in, const char *what, uint64_t most, uint32_t *id)
{
    uint64_t index = 0;
    if (!edge_read_number(in, what, &index)) return false;
    if (index < 1 || index > most)
        return edge_input_fail(in, "%s is %llu, but the matrix has 1 to %llu", what, (unsigned long long)index,
                               (unsigned long long)most);
    *id = (uint32_t)(index - 1);
    return true;
}

static bool read_entry(struct edge_input *in, struct edge_list *list, unsigned values)
{
    uint32_t row = 0, column = 0;
    if (!read_index(in, "the row", list->declared, &row) || !read_index(in, "the column", list->declared, &column))
        return false;
    for (unsigned i = 0; i < values; i++)
        if (!edge_skip_value(in, "the value")) return false;
    if (!edge_at_line_end(in)) return edge_input_fail(in, "more on the line than an entry of this kind has");
    edge_next_line(in);
    return edge_keep(in, list, row, column, 0);
}

bool edge_read_mtx(struct edge_input *in, struct edge_list *list)
{
    struct banner banner = {0};
    uint64_t entries = 0;
    if (!read_banner(in, &banner) || !read_sizes(in, list, &entries)) return false;
    list->undirected = banner.symmetric;
    while (edge_skip_comments(in, '%') != EDGE_STOP) {
        if (list->count == entries)
            return edge_input_fail(in, "more entries than the %llu of the header", (unsigned long long)entries);
        if (!read_entry(in, list, banner.values)) return false;
    }
    if (list->count < entries)
        return edge_input_fail(in, "the file ends after %llu entries, but its header says %llu",
                               (unsigned long long)list->count, (unsigned long long)entries);
    return edge_input_good(in);
}
