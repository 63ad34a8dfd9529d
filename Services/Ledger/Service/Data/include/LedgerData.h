#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull ledger_data;
extern const size_t ledger_data_count;
