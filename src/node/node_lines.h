/* node/node_lines.h - images for AVX2 and AVX-512 have whole lines of a node, link and header with them: so keys are
 * compared in an image as they are in a node. Include before node_x86.h. */
#undef NODE_READS_LINES
#define NODE_READS_LINES 1

#ifndef IMAGE_SLOTS
#define IMAGE_SLOTS NODE_SLOTS
/* A line of an image is in one line of memory, but not on the stack frames that AddressSanitizer has for itself. Wide
 * accesses to images therefore are those that do not insist. */
#if defined(__SANITIZE_ADDRESS__)
#define IMAGE_ALIGNED _Alignas(32)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IMAGE_ALIGNED _Alignas(32)
#endif
#endif
#ifndef IMAGE_ALIGNED
#define IMAGE_ALIGNED _Alignas(64)
#endif
#endif
