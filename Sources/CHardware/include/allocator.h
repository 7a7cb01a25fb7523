#ifndef CHARDWARE_ALLOCATOR_H
#define CHARDWARE_ALLOCATOR_H

#include <malloc.h>

/// Lets the C library give large blocks back to the system when they are freed, for the life of the
/// process. Otherwise it raises its threshold with the first one that is freed, up to 32 MiB, and
/// keeps the bodies and answers of a busy minute for ever.
static inline void pulsecast_return_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    // Setting one value ends the adjustment of both. Small blocks come and go by the megabyte, and
    // each move of the heap's end is a system call.
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
}

#endif
