#pragma once
#include <stddef.h>

/// A file compiled into the executable with `#embed`: its name within the folder and its bytes.
struct embedded_file {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};
