#include "out_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_standard(const char *path) { return strcmp(path, "-") == 0; }

static bool begin(struct new_file *file, const char *path)
{
    const pleach_status status = new_file_begin(file, path);
    if (status == PLEACH_E_MEMORY) errno = ENOMEM;
    return status == PLEACH_OK;
}

/* The stream has a descriptor of its own, because closing it must not close the one that will be synced. */
static FILE *stream_to(int descriptor)
{
    const int own = dup(descriptor);
    FILE *const stream = own < 0 ? NULL : fdopen(own, "w");
    if (stream == NULL && own >= 0) close(own);
    return stream;
}

bool out_file_open(struct out_file *out, const char *path)
{
    out->standard = is_standard(path);
    out->stream = stdout;
    if (out->standard) return true;
    if (!begin(&out->file, path)) return false;
    out->stream = stream_to(out->file.descriptor);
    if (out->stream == NULL) new_file_discard(&out->file);
    return out->stream != NULL;
}

bool out_file_close(struct out_file *out)
{
    const bool failed = ferror(out->stream) != 0; /* errno may be of a later call */
    if (failed) errno = EIO;
    if (out->standard) return fflush(out->stream) == 0 && !failed;
    if (fclose(out->stream) == 0 && !failed) return new_file_finish(&out->file) == PLEACH_OK;
    new_file_discard(&out->file);
    return false;
}

bool out_file_possible(const char *path)
{
    struct new_file file;
    if (is_standard(path)) return true;
    if (!begin(&file, path)) return false;
    new_file_discard(&file);
    return true;
}

const char *out_file_reason(int error)
{
    return error == EINVAL ? "not a regular file (- is standard output)" : strerror(error);
}
