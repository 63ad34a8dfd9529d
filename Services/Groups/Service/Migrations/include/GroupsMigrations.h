#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull groups_migrations;
extern const size_t groups_migrations_count;
