/* node/node_lines.h - images for AVX2 and AVX-512 hold whole lines of a node, including link and header, so keys are
 * compared in an image as in a node. Include before node_x86.h. */
#define NODE_READS_LINES 1

#ifndef IMAGE_SLOTS
#define IMAGE_SLOTS NODE_SLOTS
#if defined(__SANITIZE_ADDRESS__)
#define IMAGE_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IMAGE_IS_SANITIZED 1
#endif
#endif

/* A line of an image is in one line of memory. AddressSanitizer aligns its own stack frames to 32 bytes only, whatever
 * gcc assumes. The compiler must not know where an image pointer comes from, or it uses moves that require 64. */
#ifdef IMAGE_IS_SANITIZED
#define IMAGE_ALIGNED _Alignas(32)
#define IMAGE_POINTER(image) image_pointer((void *)(uintptr_t)(image))
PORT_FN void *image_pointer(void *image)
{
    __asm__("" : "+r"(image) : : "memory");
    return image;
}
#else
#define IMAGE_ALIGNED _Alignas(64)
#define IMAGE_POINTER(image) ((void *)(uintptr_t)(image))
#endif
#endif
