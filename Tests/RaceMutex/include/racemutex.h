#ifndef RACEMUTEX_H
#define RACEMUTEX_H

/// Times a thread has waited for a `Mutex` since the start, as ThreadSanitizer was told: a test that
/// no thread waits in has shown nothing of the mutexes.
unsigned long race_mutex_waits(void);

#endif
