#ifndef CHARDWARE_ALLOCATOR_H
#define CHARDWARE_ALLOCATOR_H

#include <malloc.h>
#include <stdlib.h>

/// Lets the C library give large blocks back to the system when they are freed, for the life of the
/// process. Otherwise it raises its threshold with the first one that is freed, up to 32 MiB, and
/// keeps the bodies and answers of a busy minute for ever.
static inline void pulsecast_return_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    // Setting one value ends the adjustment of both. Small blocks come and go by the megabyte, and
    // each move of the heap's end is a system call.
    mallopt(M_TRIM_THRESHOLD, 2 << 20);
}

/// Lets the heap of the calling thread end in 64 KiB of free memory, unless it has as much anywhere.
/// Otherwise the C library asks the system for every single page by which a thread's heap grows.
static inline void pulsecast_grow_heap(void) {
    void *volatile block = malloc(64 << 10);
    free(block);
}

/// Gives the free pages of all arenas back to the system. While it walks what is free in an arena,
/// about half a millisecond a MiB at worst, whoever allocates there waits: for quiet moments only.
static inline void pulsecast_return_free_pages(void) { malloc_trim(0); }

#endif
