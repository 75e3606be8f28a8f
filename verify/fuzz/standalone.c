/* standalone.c - runs a fuzz target where there is no libFuzzer: every file of the corpus, then for some seconds random
 * changes of them. It knows nothing of coverage, so it finds less; it finds it with any compiler.
 *
 *   fuzz_NAME [-max_total_time=SECONDS] [-seed=N] [-artifact_prefix=PREFIX] FOLDER_OR_FILE...
 *
 * The options are libFuzzer's, and others of its options are ignored. The input at hand is always in the file
 * PREFIXcurrent: it is what is left when the process dies, and it is removed when all went well. An input that takes
 * longer than LONGEST_SECONDS ends the process by a signal. Of leaks the sanitizer tells at the end, without the input.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_BYTES = 1 << 16, LONGEST_SECONDS = 60, LONGEST_MUTANT = 4096 };

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

static input *corpus;
static size_t corpus_size;
static uint64_t random_state, executions;
static int current_file;
static uint8_t *current;

/* splitmix64 */
static uint64_t random_below(uint64_t n)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t x = random_state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (x ^ (x >> 31)) % n;
}

/* ---- the corpus ---- */

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "cannot open %s", path);
    input in = {fuzz_alloc(MOST_BYTES), 0};
    in.size = fread(in.bytes, 1, MOST_BYTES, file);
    fclose(file);
    corpus = realloc(corpus, (corpus_size + 1) * sizeof *corpus);
    CHECK(corpus != NULL, "no memory");
    corpus[corpus_size++] = in;
}

static void add_folder(const char *path)
{
    DIR *folder = opendir(path);
    CHECK(folder != NULL, "cannot open %s", path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        struct stat status;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &status) == 0 && S_ISREG(status.st_mode)) add_file(name);
    }
    closedir(folder);
}

static void add_path(const char *path)
{
    struct stat status;
    CHECK(stat(path, &status) == 0, "there is no %s", path);
    if (S_ISDIR(status.st_mode))
        add_folder(path);
    else
        add_file(path);
}

/* ---- one input ---- */

static void open_current(const char *path)
{
    current_file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    CHECK(current_file >= 0, "cannot write %s", path);
    CHECK(ftruncate(current_file, MOST_BYTES) == 0, "cannot write %s", path);
    current = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, current_file, 0);
    CHECK(current != MAP_FAILED, "cannot map %s", path);
}

static void run(const uint8_t *bytes, size_t size)
{
    CHECK(ftruncate(current_file, (off_t)size) == 0, "ftruncate");
    memcpy(current, bytes, size);
    uint8_t *copy = fuzz_alloc(size); /* exactly so long, for AddressSanitizer's sake */
    memcpy(copy, bytes, size);
    alarm(LONGEST_SECONDS);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
    executions++;
}

/* ---- changes ---- */

static size_t insert_piece(uint8_t *bytes, size_t size, const uint8_t *piece, size_t length)
{
    if (size + length > LONGEST_MUTANT) return size;
    size_t at = random_below(size + 1);
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, piece, length);
    return size + length;
}

static size_t erase_piece(uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    size_t at = random_below(size), length = 1 + random_below(size - at < 16 ? size - at : 16);
    memmove(bytes + at, bytes + at + length, size - at - length);
    return size - length;
}

static size_t change(uint8_t *bytes, size_t size)
{
    static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '0', '9', '-', '='};
    const input *other = &corpus[random_below(corpus_size)];
    uint8_t any[4];
    for (size_t i = 0; i < sizeof any; i++) any[i] = (uint8_t)random_below(256);
    switch (random_below(7)) {
    case 0:
        if (size > 0) bytes[random_below(size)] ^= (uint8_t)(1u << random_below(8));
        return size;
    case 1:
        if (size > 0) bytes[random_below(size)] = any[0];
        return size;
    case 2:
        if (size > 0) bytes[random_below(size)] = telling[random_below(sizeof telling)];
        return size;
    case 3: return insert_piece(bytes, size, any, 1 + random_below(sizeof any));
    case 4: return erase_piece(bytes, size);
    case 5: return size > 0 ? random_below(size) : 0;
    default: {
        if (other->size == 0) return size;
        size_t at = random_below(other->size), most = other->size - at < 64 ? other->size - at : 64;
        return insert_piece(bytes, size, other->bytes + at, 1 + random_below(most));
    }
    }
}

static void run_changed(void)
{
    static uint8_t bytes[MOST_BYTES];
    const input *from = &corpus[random_below(corpus_size)];
    size_t size = from->size < LONGEST_MUTANT ? from->size : LONGEST_MUTANT;
    memcpy(bytes, from->bytes, size);
    for (uint64_t left = 1 + random_below(6); left > 0; left--) size = change(bytes, size);
    run(bytes, size);
}

/* ---- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The text after NAME= in an option, or NULL. */
static const char *option(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

int main(int argc, char **argv)
{
    double seconds = 0;
    char path[4096] = "current";
    random_state = (uint64_t)time(NULL);
    for (int i = 1; i < argc; i++) {
        const char *value;
        if ((value = option(argv[i], "-max_total_time")) != NULL) seconds = atof(value);
        if ((value = option(argv[i], "-seed")) != NULL) random_state = strtoull(value, NULL, 10);
        if ((value = option(argv[i], "-artifact_prefix")) != NULL) snprintf(path, sizeof path, "%scurrent", value);
        if (argv[i][0] != '-') add_path(argv[i]);
    }
    fprintf(stderr, "seed: %llu, %zu files\n", (unsigned long long)random_state, corpus_size);
    CHECK(corpus_size > 0, "no corpus");
    open_current(path);
    LLVMFuzzerInitialize(&argc, &argv);
    double begin = seconds_now();
    for (size_t i = 0; i < corpus_size; i++) run(corpus[i].bytes, corpus[i].size);
    while (seconds_now() - begin < seconds) run_changed();
    fprintf(stderr, "stat::number_of_executed_units: %llu\n", (unsigned long long)executions);
    unlink(path);
    for (size_t i = 0; i < corpus_size; i++) free(corpus[i].bytes);
    free(corpus);
    return 0;
}
