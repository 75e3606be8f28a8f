/* rival_lmdb.c - LMDB (Debian's liblmdb-dev). Its file is in /dev/shm, so in memory, or where that is too small in
 * $TMPDIR or /tmp; it is mapped for writing and never synced: what is left is the work on the tree. Each call is a
 * transaction, as it has to be for others to see it. Readers keep theirs and renew it, which is its fast way to do
 * this; writers take turns by its own lock. The records at first come in one transaction. */
#define _DEFAULT_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <lmdb.h>

#include "rival.h"

enum { BYTES_PER_KEY = 160, BYTES_MORE = 64 << 20, PATH_BYTES = 256 };

struct reader {
    MDB_txn *txn;
    MDB_cursor *cursor;
};

struct lmdb {
    char folder[PATH_BYTES];
    MDB_env *env;
    MDB_dbi dbi;
    unsigned threads;
    struct reader readers[];
};

static MDB_val val_of(uint64_t *word) { return (MDB_val){sizeof *word, word}; }

static uint64_t word_of(const MDB_val *val)
{
    uint64_t word;
    memcpy(&word, val->mv_data, sizeof word);
    return word;
}

/* ---- where it is ---- */

/* Writing to a mapped file in a full file system ends the process, so there must be room beforehand. */
static bool make_folder(struct lmdb *l, const char *where, uint64_t bytes)
{
    struct statvfs room;
    if (where == NULL || statvfs(where, &room) != 0 || (uint64_t)room.f_bavail * room.f_frsize < bytes) return false;
    if (snprintf(l->folder, sizeof l->folder, "%s/pleach-lmdb-XXXXXX", where) < (int)sizeof l->folder &&
        mkdtemp(l->folder) != NULL)
        return true;
    l->folder[0] = '\0';
    return false;
}

static void remove_folder(struct lmdb *l)
{
    static const char *const names[] = {"data.mdb", "lock.mdb"};
    char path[PATH_BYTES + 16];
    if (l->folder[0] == '\0') return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", l->folder, names[i]);
        unlink(path);
    }
    rmdir(l->folder);
}

/* ---- life ---- */

static void lmdb_destroy(void *store)
{
    struct lmdb *l = store;
    for (unsigned i = 0; i < l->threads; i++) {
        if (l->readers[i].cursor != NULL) mdb_cursor_close(l->readers[i].cursor);
        if (l->readers[i].txn != NULL) mdb_txn_abort(l->readers[i].txn);
    }
    if (l->env != NULL) mdb_env_close(l->env);
    remove_folder(l);
    free(l);
}

static bool open_database(struct lmdb *l)
{
    MDB_txn *txn = NULL;
    if (mdb_txn_begin(l->env, NULL, 0, &txn) != 0) return false;
    if (mdb_dbi_open(txn, NULL, MDB_INTEGERKEY | MDB_CREATE, &l->dbi) != 0) {
        mdb_txn_abort(txn);
        return false;
    }
    return mdb_txn_commit(txn) == 0;
}

static bool open_readers(struct lmdb *l)
{
    for (unsigned i = 0; i < l->threads; i++) {
        struct reader *reader = &l->readers[i];
        if (mdb_txn_begin(l->env, NULL, MDB_RDONLY, &reader->txn) != 0 ||
            mdb_cursor_open(reader->txn, l->dbi, &reader->cursor) != 0)
            return false;
        mdb_txn_reset(reader->txn);
    }
    return true;
}

static void *lmdb_create(const struct rival_needs *needs)
{
    const uint64_t bytes = BYTES_MORE + needs->keys * BYTES_PER_KEY;
    /* Readers belong to the threads that say so by their number, not to those of the system. */
    const unsigned flags = MDB_NOSYNC | MDB_WRITEMAP | MDB_NOTLS | MDB_NORDAHEAD;
    struct lmdb *l = calloc(1, sizeof *l + needs->threads * sizeof l->readers[0]);
    if (l == NULL) return NULL;
    l->threads = needs->threads;
    const bool placed = make_folder(l, "/dev/shm", bytes) || make_folder(l, getenv("TMPDIR"), bytes) ||
                        make_folder(l, "/tmp", bytes);
    if (placed && mdb_env_create(&l->env) == 0 && mdb_env_set_mapsize(l->env, bytes) == 0 &&
        mdb_env_set_maxreaders(l->env, needs->threads + 1) == 0 && mdb_env_open(l->env, l->folder, flags, 0600) == 0 &&
        open_database(l) && open_readers(l))
        return l;
    lmdb_destroy(l);
    return NULL;
}

/* ---- calls ---- */

static bool lmdb_load(void *store, size_t n, const uint64_t *keys, const uint64_t *values)
{
    struct lmdb *l = store;
    MDB_txn *txn = NULL;
    bool good = mdb_txn_begin(l->env, NULL, 0, &txn) == 0;
    if (!good) return false;
    for (size_t i = 0; i < n && good; i++) {
        uint64_t key = keys[i], value = values[i];
        MDB_val key_val = val_of(&key), value_val = val_of(&value);
        good = mdb_put(txn, l->dbi, &key_val, &value_val, MDB_NOOVERWRITE) == 0;
    }
    if (good) return mdb_txn_commit(txn) == 0;
    mdb_txn_abort(txn);
    return false;
}

static bool lmdb_get(void *store, unsigned thread, uint64_t key, uint64_t *value)
{
    struct lmdb *l = store;
    MDB_txn *txn = l->readers[thread].txn;
    MDB_val key_val = val_of(&key), value_val;
    if (mdb_txn_renew(txn) != 0) return false;
    const bool found = mdb_get(txn, l->dbi, &key_val, &value_val) == 0;
    if (found) *value = word_of(&value_val);
    mdb_txn_reset(txn);
    return found;
}

static bool write_one(struct lmdb *l, uint64_t key, uint64_t value, unsigned flags)
{
    MDB_txn *txn = NULL;
    MDB_val key_val = val_of(&key), value_val = val_of(&value);
    if (mdb_txn_begin(l->env, NULL, 0, &txn) != 0) return false;
    if (mdb_put(txn, l->dbi, &key_val, &value_val, flags) == 0) return mdb_txn_commit(txn) == 0;
    mdb_txn_abort(txn);
    return false;
}

static bool lmdb_put(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    (void)thread;
    return write_one(store, key, value, 0);
}

static bool lmdb_insert(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    (void)thread;
    return write_one(store, key, value, MDB_NOOVERWRITE);
}

static size_t lmdb_scan(void *store, unsigned thread, uint64_t from, size_t n, uint64_t *keys, uint64_t *values)
{
    struct lmdb *l = store;
    struct reader *reader = &l->readers[thread];
    MDB_val key_val = val_of(&from), value_val;
    size_t count = 0;
    if (mdb_txn_renew(reader->txn) != 0) return 0;
    if (mdb_cursor_renew(reader->txn, reader->cursor) == 0) {
        int status = mdb_cursor_get(reader->cursor, &key_val, &value_val, MDB_SET_RANGE);
        for (; status == 0 && count < n; count++) {
            keys[count] = word_of(&key_val);
            values[count] = word_of(&value_val);
            status = count + 1 < n ? mdb_cursor_get(reader->cursor, &key_val, &value_val, MDB_NEXT) : 0;
        }
    }
    mdb_txn_reset(reader->txn);
    return count;
}

/* ---- the whole ---- */

static bool stat_of(struct lmdb *l, MDB_stat *stat)
{
    struct reader *reader = &l->readers[0];
    if (mdb_txn_renew(reader->txn) != 0) return false;
    const bool good = mdb_stat(reader->txn, l->dbi, stat) == 0;
    mdb_txn_reset(reader->txn);
    return good;
}

static uint64_t lmdb_count(void *store)
{
    MDB_stat stat;
    return stat_of(store, &stat) ? stat.ms_entries : 0;
}

static uint64_t lmdb_bytes(void *store)
{
    MDB_stat stat;
    if (!stat_of(store, &stat)) return 0;
    return (uint64_t)stat.ms_psize * (stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages);
}

const struct rival rival_lmdb = {
    .name = "lmdb", .kind = RIVAL_PEER, .concurrent = true, .create = lmdb_create, .destroy = lmdb_destroy,
    .load = lmdb_load, .get = lmdb_get, .put = lmdb_put, .insert = lmdb_insert, .scan = lmdb_scan,
    .count = lmdb_count, .bytes = lmdb_bytes,
};
