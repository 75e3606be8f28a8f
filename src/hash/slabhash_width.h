/* hash/slabhash_width.h - the hash function, and the slots of a slab, for the kind in slabhash_kind.h. Included by
 * slabhash.h. */

typedef struct slab_slot { slab_key key, value; } slab_slot; /* value is 0 in a set */

/* Multiply-shift, of 64-bit keys by pairs (M. Thorup, "High Speed Hashing for Integers and Strings", strongly
 * universal): under a random seed the sums of any two different keys are independent, so keys that were chosen without
 * knowledge of the seed collide no more often than random ones. The last line preserves that, because every hash comes
 * from nearly the same number of sums. Without it, keys in arithmetic progression would, under one seed in a hundred,
 * fill some buckets many times as much as others. */
PORT_FN uint32_t slab_hash(const slab_ref *place, slab_key key)
{
#if PLEACH_KEY_BITS == 32
    uint64_t product = place->seed.by * key;
#else
    uint64_t product = (place->seed.low + key) * (place->seed.by + (key >> 32));
#endif
    uint32_t sum = (uint32_t)((product + place->seed.plus) >> 32);
    return (uint32_t)(((uint64_t)(sum ^ sum >> 16) * 0x9e3779b97f4a7c15u) >> 32);
}

/* Loads a slot, one word after the other. That suffices because the key of a taken slot does not change, and the value
 * is in a single word. */
PORT_FN slab_slot slot_load(const slab *s, unsigned slot)
{
    const uint64_t *payload = &s->word[SLAB_FIRST];
#if SLAB_VALUES && PLEACH_KEY_BITS == 32
    uint64_t word = port_load(&payload[slot]);
    return (slab_slot){(uint32_t)word, (uint32_t)(word >> 32)};
#elif SLAB_VALUES
    return (slab_slot){port_load(&payload[2 * slot]), port_load(&payload[2 * slot + 1])};
#elif PLEACH_KEY_BITS == 32
    return (slab_slot){(uint32_t)(port_load(&payload[slot / 2]) >> 32 * (slot % 2)), 0};
#else
    return (slab_slot){port_load(&payload[slot]), 0};
#endif
}

/* The caller holds the latch. In a set32, the other key in the word is rewritten unchanged. */
PORT_FN void slot_store(slab *s, unsigned slot, slab_slot pair)
{
    uint64_t *payload = &s->word[SLAB_FIRST];
#if SLAB_VALUES && PLEACH_KEY_BITS == 32
    port_store(&payload[slot], (uint64_t)pair.value << 32 | pair.key);
#elif SLAB_VALUES
    port_store(&payload[2 * slot], pair.key);
    port_store(&payload[2 * slot + 1], pair.value);
#elif PLEACH_KEY_BITS == 32
    unsigned shift = 32 * (slot % 2);
    uint64_t other = port_load(&payload[slot / 2]) & (uint64_t)UINT32_MAX << (32 - shift);
    port_store(&payload[slot / 2], other | (uint64_t)pair.key << shift);
#else
    port_store(&payload[slot], pair.key);
#endif
}

/* As slot_store, but returns the value that port_release_after_exchange needs. Only for kinds whose slots are half a
 * word, where a store includes the other half anyway. For other kinds an exchange would cost
 * a GPU a fetch from memory that a plain store does not need. */
PORT_FN uint64_t slot_replace(slab *s, unsigned slot, slab_slot pair)
{
    return port_exchange_owned_half(&s->word[SLAB_FIRST + slot / 2], slot % 2, (uint32_t)pair.key);
}

/* Stores a new value in a taken slot, in one access, and returns the old one. */
PORT_FN slab_key slot_assign(slab *s, unsigned slot, slab_slot pair)
{
#if SLAB_VALUES && PLEACH_KEY_BITS == 64
    return port_exchange_owned(&s->word[SLAB_FIRST + 2 * slot + 1], pair.value);
#elif SLAB_VALUES
    return (uint32_t)(port_exchange_owned(&s->word[SLAB_FIRST + slot], (uint64_t)pair.value << 32 | pair.key) >> 32);
#else
    return (void)s, (void)slot, (void)pair, 0;
#endif
}
