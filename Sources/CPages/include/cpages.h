/// The files of ViewerPages/Resources, as they were when this was compiled.
///
/// In C for its `#embed`: the same bytes as a Swift array cost half a minute of every build.

#ifndef CPAGES_H
#define CPAGES_H

#include <stddef.h>
#include <stdint.h>

struct cpages_file {
    const char *name;
    const uint8_t *bytes;
    size_t count;
};

size_t cpages_count(void);

/// `index` is below `cpages_count()`. What it points to lives as long as the program.
struct cpages_file cpages_file(size_t index);

#endif
