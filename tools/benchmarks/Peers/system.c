#define _GNU_SOURCE
#include "Peers.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void peers_pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

void peers_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("yield");
#endif
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

double peers_thread_seconds(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }
double peers_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }

double peers_write_and_sync(const char *path, const int64_t *sizes, uint64_t count) {
    static char bytes[1 << 20];
    memset(bytes, 'r', sizeof bytes);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0) return -1;
    double start = seconds(CLOCK_MONOTONIC);
    off_t end = 0;
    int failed = 0;
    for (uint64_t i = 0; i < count && !failed; i++) {
        if (sizes[i] == 0) {
            failed = fdatasync(file) != 0;
        } else if (sizes[i] < 0) {
            failed = posix_fallocate(file, 0, -sizes[i]) != 0;
        } else {
            failed = sizes[i] > (int64_t)sizeof bytes
                || pwrite(file, bytes, (size_t)sizes[i], end) != sizes[i];
            end += sizes[i];
        }
    }
    double took = seconds(CLOCK_MONOTONIC) - start;
    close(file);
    unlink(path);
    return failed ? -1 : took;
}

static int rising(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double peers_commit_p99(const char *path, uint64_t bytes, uint64_t commits) {
    char *block = calloc(1, bytes);
    double *times = calloc(commits, sizeof *times);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    int failed = !block || !times || file < 0;
    for (uint64_t i = 0; i < commits && !failed; i++) {
        double start = seconds(CLOCK_MONOTONIC);
        failed = pwrite(file, block, bytes, (off_t)(i * bytes)) != (ssize_t)bytes
            || fdatasync(file) != 0;
        times[i] = seconds(CLOCK_MONOTONIC) - start;
    }
    if (!failed) qsort(times, commits, sizeof *times, rising);
    double p99 = failed ? -1 : times[commits * 99 / 100];
    if (file >= 0) close(file);
    unlink(path);
    free(block);
    free(times);
    return p99;
}

// The C library's own allocator, counted on the way.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_uint_fast64_t allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}
void *realloc(void *old, size_t size) {
    count();
    return __libc_realloc(old, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
    count();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : 12;
}
void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

uint64_t peers_heap_bytes(void) { return mallinfo2().uordblks; }
uint64_t peers_allocations(void) { return atomic_load(&allocations); }

double peers_pace(uint64_t rounds) {
    uint64_t words[64];
    for (int place = 0; place < 64; place++) words[place] = place * 0x9E3779B97F4A7C15u;
    volatile double sink = 0;
    double sum = 1;
    double began = peers_thread_seconds();
    for (uint64_t round = 0; round < rounds; round++) {
        for (int place = 0; place < 64; place++) {
            uint64_t word = words[place] ^ words[(place + 17) & 63];
            words[place] = (word ^ word >> 29) * 0xBF58476D1CE4E5B9u;
        }
        for (int place = 0; place < 16; place++) sum += sqrt(sum + (double)(words[place] >> 40));
        if (sum > 1e12) sum = 1;
    }
    double taken = peers_thread_seconds() - began;
    sink = sum;
    (void)sink;
    return taken;
}
