#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers.h"
#include "harness.h"

folder folder_open(void)
{
    folder f;
    const char *parent = getenv("TMPDIR");
    snprintf(f.name, sizeof f.name, "%s/pleach-test-XXXXXX", parent && *parent ? parent : "/tmp");
    assert_non_null(mkdtemp(f.name));
    snprintf(f.path, sizeof f.path, "%s/pairs", f.name);
    return f;
}

static DIR *entries_of(const folder *f)
{
    DIR *entries = opendir(f->name);
    assert_non_null(entries);
    return entries;
}

static bool is_entry(const struct dirent *entry) { return strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."); }

size_t folder_entries(const folder *f)
{
    DIR *entries = entries_of(f);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += is_entry(entry);
    closedir(entries);
    return count;
}

void folder_close(folder *f)
{
    DIR *entries = entries_of(f);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (is_entry(entry))
            assert_int_equal(unlinkat(dirfd(entries), entry->d_name, entry->d_type == DT_DIR ? AT_REMOVEDIR : 0), 0);
    closedir(entries);
    assert_int_equal(rmdir(f->name), 0);
}

file_image file_image_read(const char *path)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    file_image all = {(size_t)about.st_size, must_alloc((size_t)about.st_size, 1)};
    assert_int_equal(fread(all.bytes, 1, all.size, file), all.size);
    fclose(file);
    return all;
}

void file_image_write(const char *path, size_t size, const uint8_t *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void there_are_no_files_in_this_build(const void *unused)
{
    (void)unused;
    pleach_file_info info;
    assert_int_equal(pleach_file_get_info("pairs", &info), PLEACH_E_NO_FILES);
}
