#ifndef CHARDWARE_H
#define CHARDWARE_H

#include <stddef.h>
#include <stdint.h>

#include "allocator.h"

/// Whether this processor has an instruction for CRC-32C. The two functions below need it.
int pulsecast_has_crc32c(void);

/// Continues `crc` over `count` bytes. Neither inverts at the start nor at the end.
uint32_t pulsecast_crc32c(uint32_t crc, const void *bytes, size_t count);

/// Continues `crc` over the eight bytes of `word`, least significant first.
uint32_t pulsecast_crc32c_word(uint32_t crc, uint64_t word);

/// Asks for `lines` lines of the cache from `address` on, before they are needed. Reads nothing: any
/// address will do.
static inline void pulsecast_prefetch(uintptr_t address, uint32_t lines) {
    for (uint32_t line = 0; line < lines; line++)
        __builtin_prefetch((const void *)(address + 64 * line), 1);
}

#endif
