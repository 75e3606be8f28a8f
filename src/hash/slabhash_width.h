/* hash/slabhash_width.h - the hash function and the slots of a slab (slabhash_kind.h). Included by slabhash.h. */

typedef struct slab_slot { slab_key key, value; } slab_slot; /* a set's values are 0 */

/* Multiply-shift, of 64-bit keys by pairs (M. Thorup, "High Speed Hashing for Integers and Strings", strongly
 * universal): under a random seed the sums of any two different keys are independent, so keys that were chosen without
 * knowing the seed collide no more than random ones. The last line keeps that, because every hash comes from nearly as
 * many sums as every other; without it keys in arithmetic progression would fill some buckets many times as much as
 * others, under one seed in a hundred. */
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

/* A slot; its words one after the other, which is good enough: the key of a taken slot does not change, and the value
 * is one word's. */
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

/* By who has the latch. A set32's neighbour in the word is written again as it was. */
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

/* The same for port_release_after_exchange, which gets what it answers. Only for kinds whose slots are half a word: a GPU
 * fetches from memory what it replaces, and not what it stores, and half a word cannot be stored but with the other. */
PORT_FN uint64_t slot_replace(slab *s, unsigned slot, slab_slot pair)
{
    return port_exchange_owned_half(&s->word[SLAB_FIRST + slot / 2], slot % 2, (uint32_t)pair.key);
}

/* Another value for a taken slot, in one access; the one that was there. */
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
