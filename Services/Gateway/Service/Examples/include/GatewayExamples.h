#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull gateway_examples;
extern const size_t gateway_examples_count;
