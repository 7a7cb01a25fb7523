// What ThreadSanitizer cannot see of Swift's `Mutex`.
//
// The quick path of a `Mutex` is compiled into its users, whose atomics ThreadSanitizer sees. A
// thread that has to wait enters the library, which is built without ThreadSanitizer: it then
// reports races of state that the mutex guards. These three functions stand before those of the
// library, call them, and tell ThreadSanitizer of the order that they made.
#define _GNU_SOURCE
#include "racemutex.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *);
void __tsan_release(void *);

#define HANDLE __attribute__((swift_context)) void *handle
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void Lock(uint32_t thread, HANDLE);
typedef __attribute__((swiftcall)) bool Try(HANDLE);
typedef __attribute__((swiftcall)) void Unlock(HANDLE);

Lock race_lock_slow __asm__(LOCK);
Try race_try_lock_slow __asm__(TRY);
Unlock race_unlock_slow __asm__(UNLOCK);

static Lock *lock_slow;
static Try *try_lock_slow;
static Unlock *unlock_slow;
static unsigned long waits;

__attribute__((constructor)) static void find(void) {
    lock_slow = (Lock *)dlsym(RTLD_NEXT, LOCK);
    try_lock_slow = (Try *)dlsym(RTLD_NEXT, TRY);
    unlock_slow = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((swiftcall)) void race_lock_slow(uint32_t thread, HANDLE) {
    lock_slow(thread, handle);
    __tsan_acquire(handle);
    __atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
}

__attribute__((swiftcall)) bool race_try_lock_slow(HANDLE) {
    bool is_locked = try_lock_slow(handle);
    if (is_locked) __tsan_acquire(handle);
    return is_locked;
}

__attribute__((swiftcall)) void race_unlock_slow(HANDLE) {
    __tsan_release(handle);
    unlock_slow(handle);
}

unsigned long race_mutex_waits(void) { return __atomic_load_n(&waits, __ATOMIC_RELAXED); }
