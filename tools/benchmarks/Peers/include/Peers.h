// What the benchmarks compare with, in the languages it is written in: two queues in C++, a bare
// loop of writes and syncs in C, and a count of allocations.
#ifndef PEERS_H
#define PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Seconds to pass `items` of 64 bytes between two threads pinned to cores 0 and 1, `batch` at a
// time; negative where the library is not installed.
double peers_boost_spsc(uint64_t items, uint32_t batch);
double peers_moodycamel_spsc(uint64_t items);

// Pins the calling thread.
void peers_pin(int core);
// Tells the core that this thread waits for the other.
void peers_relax(void);

// Seconds to do the given calls on a fresh file at `path`: `sizes[i]` > 0 writes so many bytes at
// the end, 0 syncs, < 0 takes that much space. Negative when one fails.
double peers_write_and_sync(const char *path, const int64_t *sizes, uint64_t count);

// Seconds from the begin of a write of `bytes` at the end of a fresh file at `path` to the end of the
// sync after it: all but a hundredth of `commits` take less. Negative when one fails.
double peers_commit_p99(const char *path, uint64_t bytes, uint64_t commits);

// Allocations of this process so far.
uint64_t peers_allocations(void);
// Bytes of the heap in use by this process.
uint64_t peers_heap_bytes(void);
// CPU seconds of this thread so far.
double peers_thread_seconds(void);
double peers_wall_seconds(void);

// CPU seconds of `rounds` rounds of fixed work in the first cache: 64 words mixed, 16 square roots.
// What has no peer is held against it: a machine that is half as fast today is so for both.
double peers_pace(uint64_t rounds);

#ifdef __cplusplus
}
#endif

#endif
