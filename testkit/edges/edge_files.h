/* testkit/edges/edge_files.h - for tests of edge files: texts as files, plain and compressed, and lists compared. */
#ifndef PLEACH_TESTS_EDGE_FILES_H
#define PLEACH_TESTS_EDGE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "../folder.h"
#include "tools/edges/edge_list.h"

/* f->path becomes a file of that name in the folder. */
void name_file(folder *f, const char *name);

/* The bytes compressed, `parts` times one piece behind the other; its bytes must be freed. The build has the library,
 * or these are not declared. */
#ifdef PLEACH_HAVE_ZLIB
file_image gzip_of(size_t size, const void *bytes, unsigned parts);
#endif
#ifdef PLEACH_HAVE_LZMA
file_image xz_of(size_t size, const void *bytes, unsigned parts);
#endif

/* The list as text: "0>1 2>3@17", with times where it has them; must be freed. */
char *text_of_list(const struct edge_list *list);

void assert_same_lists(const struct edge_list *one, const struct edge_list *other);

#endif
