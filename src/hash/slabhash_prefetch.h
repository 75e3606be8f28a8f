/* hash/slabhash_prefetch.h - prefetches the slab of an operation that runs soon. Included after slabhash.h. */
static void prefetch_slab(const slab_ref *place, uint64_t root, slab_key key)
{
    const char *bucket = (const char *)slab_at(place, slab_bucket(root, slab_hash(place, key)));
    port_prefetch(bucket);
    port_prefetch(bucket + SLAB_BYTES / 2);
}
