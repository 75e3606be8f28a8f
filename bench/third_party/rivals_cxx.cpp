// rivals_cxx.cpp - std::map, and absl::btree_map where Abseil is there: all C++ of the command, behind C's table.
#include <map>
#include <new>

#ifdef PLEACH_HAVE_ABSL
#include <absl/container/btree_map.h>
#endif

#include "rival.h"

namespace {

// Nothing that is thrown may get out, into C; what can throw is an allocation.
template <class Map> struct store_of {
    static void *create(const rival_needs *) { return new (std::nothrow) Map; }

    static void destroy(void *store) { delete static_cast<Map *>(store); }

    static bool get(void *store, unsigned, uint64_t key, uint64_t *value)
    {
        const Map &map = *static_cast<const Map *>(store);
        const auto at = map.find(key);
        if (at == map.end()) return false;
        *value = at->second;
        return true;
    }

    static bool put(void *store, unsigned, uint64_t key, uint64_t value)
    {
        try {
            static_cast<Map *>(store)->insert_or_assign(key, value);
            return true;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }

    static bool insert(void *store, unsigned, uint64_t key, uint64_t value)
    {
        try {
            return static_cast<Map *>(store)->emplace(key, value).second;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }

    static size_t scan(void *store, unsigned, uint64_t from, size_t n, uint64_t *keys, uint64_t *values)
    {
        const Map &map = *static_cast<const Map *>(store);
        size_t count = 0;
        for (auto at = map.lower_bound(from); at != map.end() && count < n; ++at, count++) {
            keys[count] = at->first;
            values[count] = at->second;
        }
        return count;
    }

    static uint64_t count(void *store) { return static_cast<const Map *>(store)->size(); }

    static rival table(const char *name)
    {
        rival r = {};
        r.name = name;
        r.kind = RIVAL_PEER;
        r.create = create;
        r.destroy = destroy;
        r.get = get;
        r.put = put;
        r.insert = insert;
        r.scan = scan;
        r.count = count;
        return r;
    }
};

} // namespace

extern "C" {
extern const rival rival_std_map;
const rival rival_std_map = store_of<std::map<uint64_t, uint64_t>>::table("std-map");

#ifdef PLEACH_HAVE_ABSL
extern const rival rival_absl_btree;
const rival rival_absl_btree = store_of<absl::btree_map<uint64_t, uint64_t>>::table("absl-btree");
#endif
}
