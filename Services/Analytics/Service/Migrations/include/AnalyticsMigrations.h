#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull analytics_migrations;
extern const size_t analytics_migrations_count;
