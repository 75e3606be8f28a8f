/* fuzz_file.c - any bytes as a file to load. It is refused, and the map is as it was; or it is taken, the map is valid,
 * and saving it again in blocks of the same size gives the same bytes: there is one way only to write down a map.
 *
 * THE INPUT   options (2 bytes), then the file. Changed bytes hardly ever have the right checksums, so by an option the
 *             checksums are put right first; by others the beginning, or the numbers that follow from the head.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <file/file.h>
#include <file/file_format.h>
#include <pleach/pleach.h>

#include "fuzz.h"

enum { NARROW = 1, REPAIR_SUMS = 2, REPAIR_START = 4, REPAIR_NUMBERS = 8, LITTLE_ROOM = 16 };
enum { MOST_BYTES = 1 << 16, HELD = 20, MOST_PAIRS = MOST_BYTES / 8 };

static int input_file;
static char input_path[64], folder[64], saved_path[80];

/* ---- the file ---- */

static void repair_header(uint8_t *bytes, unsigned form, file_header *header)
{
    memcpy(header, bytes, sizeof *header);
    if (form & REPAIR_START) {
        memcpy(header->magic, FILE_MAGIC, sizeof header->magic);
        header->byte_order = FILE_BYTE_ORDER;
        header->version = PLEACH_FILE_VERSION;
        header->key_bits = form & NARROW ? 32 : 64;
        header->holds = FILE_HOLDS_MAP;
    }
    header->sum = file_header_sum(header);
    memcpy(bytes, header, sizeof *header);
}

/* The block at `place`; answers where the next one is, or 0 if there is not so much. */
static size_t repair_block(uint8_t *bytes, size_t size, size_t place, unsigned form, const file_header *header,
                           file_block right, uint64_t *sums)
{
    size_t length = file_block_bytes(header->key_bits, right.pairs);
    if (length + sizeof(uint64_t) + sizeof(file_trailer) > size - place) return 0;
    if (form & REPAIR_NUMBERS) memcpy(bytes + place, &right, sizeof right);
    uint64_t sum = file_sum(bytes + place, length);
    memcpy(bytes + place + length, &sum, sizeof sum);
    *sums = file_sum_sums(*sums, sum);
    return place + length + sizeof sum;
}

static void repair(uint8_t *bytes, size_t size, unsigned form)
{
    file_header header;
    uint64_t sums = 0;
    if (size < sizeof header + sizeof(file_trailer)) return;
    repair_header(bytes, form, &header);
    if (header.block_pairs == 0 || header.pairs > MOST_PAIRS || header.key_bits % 32 != 0) return;
    size_t place = sizeof header;
    file_block right = {0};
    for (uint64_t left = header.pairs; left > 0 && place > 0; left -= right.pairs, right.index++) {
        right.pairs = (uint32_t)(left < header.block_pairs ? left : header.block_pairs);
        place = repair_block(bytes, size, place, form, &header, right, &sums);
    }
    file_trailer trailer;
    memcpy(&trailer, bytes + size - sizeof trailer, sizeof trailer);
    if (form & REPAIR_NUMBERS) trailer.pairs = header.pairs;
    trailer.sum = file_sum_sums(sums, header.sum);
    memcpy(bytes + size - sizeof trailer, &trailer, sizeof trailer);
}

static void write_input(const uint8_t *bytes, size_t size)
{
    CHECK(ftruncate(input_file, 0) == 0 && pwrite(input_file, bytes, size, 0) == (ssize_t)size, "write the file");
}

/* ---- the map ---- */

static pleach_map *create(unsigned form)
{
    pleach_map *map = NULL;
    uint64_t nodes = form & LITTLE_ROOM ? 12 : 16384;
    pleach_map_config config = {.key_bits = form & NARROW ? 32 : 64, .threads = 1, .versioned = 1};
    config.max_bytes = nodes * (form & NARROW ? 128 : 256);
    CHECK(pleach_map_create(&map, &config) == PLEACH_OK, "create");
    for (uint64_t key = 0; key < HELD; key++)
        CHECK(pleach_map_put_one(map, key, key + 1, NULL, NULL) == PLEACH_OK, "put");
    return map;
}

static void check_unchanged(pleach_map *map)
{
    uint64_t size = 0;
    for (uint64_t key = 0; key < HELD; key++) {
        int found = 0;
        uint64_t value = 0;
        CHECK(pleach_map_find_one(map, key, &found, &value) == PLEACH_OK, "find");
        CHECK(found && value == key + 1, "key %d has another value", (int)key);
    }
    CHECK(pleach_map_size(map, &size) == PLEACH_OK && size == HELD, "%llu keys", (unsigned long long)size);
}

static void check_refusal(pleach_map *map, pleach_status status, const file_header *header, unsigned form)
{
    unsigned key_bits = form & NARROW ? 32 : 64;
    check_unchanged(map);
    if (status == PLEACH_E_WIDTH)
        CHECK(header->key_bits != key_bits, "WIDTH for keys of %u bits", header->key_bits);
    else if (status == PLEACH_E_NEWER)
        CHECK(header->version > PLEACH_FILE_VERSION, "version %u is NEWER", header->version);
    else if (status == PLEACH_E_KIND)
        CHECK(header->holds == FILE_HOLDS_GRAPH, "KIND of a map's file");
    else if (status == PLEACH_E_FULL)
        CHECK(form & LITTLE_ROOM, "FULL with room for all");
    else
        CHECK(status == PLEACH_E_FORMAT, "load answers %s", pleach_status_name(status));
}

/* Saves what was loaded, and compares with what it was loaded from. */
static void check_saved_again(pleach_map *map, const uint8_t *bytes, size_t size, uint32_t block_pairs)
{
    static uint8_t again[MOST_BYTES];
    pleach_snapshot *snapshot = NULL;
    CHECK(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC) == PLEACH_OK, "take");
    CHECK(file_save(snapshot, saved_path, block_pairs) == PLEACH_OK, "save");
    pleach_snapshot_release(snapshot);
    FILE *file = fopen(saved_path, "rb");
    CHECK(file != NULL, "open what was saved");
    size_t got = fread(again, 1, sizeof again, file);
    fclose(file);
    CHECK(got == size && memcmp(again, bytes, size) == 0, "saved again it has %zu bytes instead of %zu, or others", got,
          size);
}

static void check_taken(pleach_map *map, const uint8_t *bytes, size_t size, const file_header *header)
{
    char message[200];
    uint64_t keys = 0;
    CHECK(pleach_map_validate(map, message, sizeof message) == PLEACH_OK, "%s", message);
    CHECK(pleach_map_size(map, &keys) == PLEACH_OK && keys == header->pairs, "%llu keys", (unsigned long long)keys);
    if (header->block_pairs <= MOST_PAIRS) check_saved_again(map, bytes, size, header->block_pairs);
}

/* ---- */

static void remove_folder(void)
{
    unlink(saved_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_small_pages();
    input_file = memfd_create("file", 0);
    CHECK(input_file >= 0, "memfd_create");
    snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input_file);
    /* In memory where that is possible: every save waits for the disk. */
    snprintf(folder, sizeof folder, "%s/pleach-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    CHECK(mkdtemp(folder) != NULL, "mkdtemp");
    snprintf(saved_path, sizeof saved_path, "%s/saved", folder);
    atexit(remove_folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, data + size};
    unsigned form = take_byte(&in), fill = take_byte(&in);
    size_t length = (size_t)(in.end - in.at);
    if (length > MOST_BYTES) return 0;
    uint8_t *file = fuzz_alloc(length);
    file_header header = {0};
    memcpy(file, in.at, length);
    if (form & REPAIR_SUMS) repair(file, length, form);
    memcpy(&header, file, length < sizeof header ? length : sizeof header);
    write_input(file, length);
    pleach_map *map = create(form);
    pleach_status status = pleach_map_load_file(map, input_path, fill / 255.0);
    if (status == PLEACH_OK)
        check_taken(map, file, length, &header);
    else
        check_refusal(map, status, &header, form);
    pleach_map_destroy(map);
    free(file);
    return 0;
}
