/* node/node_lines.h - images for AVX2 and AVX-512 have whole lines of a node, link and header with them: so keys are
 * compared in an image as they are in a node. Include before node_x86.h. */
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

/* A line of an image is in one line of memory. The stack frames that AddressSanitizer has for itself are aligned to 32
 * bytes only, whatever gcc believes: so there it must not know where the pointer to an image comes from, else it uses
 * moves that insist on 64. */
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
