#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull notifications_data;
extern const size_t notifications_data_count;
