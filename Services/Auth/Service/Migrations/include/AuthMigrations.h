#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull auth_migrations;
extern const size_t auth_migrations_count;
