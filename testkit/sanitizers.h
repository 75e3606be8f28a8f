/* testkit/sanitizers.h - which sanitizer a test is compiled with. gcc defines a macro, clang has a feature. */
#ifndef PLEACH_TEST_SANITIZERS_H
#define PLEACH_TEST_SANITIZERS_H

#ifdef __has_feature
#define HAS_SANITIZER(feature) __has_feature(feature)
#else
#define HAS_SANITIZER(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HAS_SANITIZER(address_sanitizer)
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || HAS_SANITIZER(thread_sanitizer)
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

#endif
