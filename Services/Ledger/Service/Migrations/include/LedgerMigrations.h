#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull ledger_migrations;
extern const size_t ledger_migrations_count;
