#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull bank_files_data;
extern const size_t bank_files_data_count;
