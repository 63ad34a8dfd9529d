#pragma once
#include "CEmbedded.h"

extern const struct embedded_file *const _Nonnull notifications_migrations;
extern const size_t notifications_migrations_count;
