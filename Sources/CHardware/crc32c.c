// CRC-32C by the processor's own instruction: Swift has no way to name it.

#include "chardware.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>

int pulsecast_has_crc32c(void) { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2")))
uint32_t pulsecast_crc32c_word(uint32_t crc, uint64_t word) {
    return (uint32_t)_mm_crc32_u64(crc, word);
}

__attribute__((target("sse4.2")))
static uint32_t one_byte(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }

#define TARGET __attribute__((target("sse4.2")))

#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>

#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#define TARGET __attribute__((target("crc")))

int pulsecast_has_crc32c(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

TARGET uint32_t pulsecast_crc32c_word(uint32_t crc, uint64_t word) { return __crc32cd(crc, word); }

TARGET static uint32_t one_byte(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }

#else

#define TARGET

int pulsecast_has_crc32c(void) { return 0; }

uint32_t pulsecast_crc32c_word(uint32_t crc, uint64_t word) { (void)word; return crc; }

static uint32_t one_byte(uint32_t crc, uint8_t byte) { (void)byte; return crc; }

#endif

TARGET uint32_t pulsecast_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = pulsecast_crc32c_word(crc, word);
        next += 8;
        count -= 8;
    }
    while (count > 0) {
        crc = one_byte(crc, *next++);
        count -= 1;
    }
    return crc;
}
