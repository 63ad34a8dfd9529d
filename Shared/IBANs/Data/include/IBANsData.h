#pragma once
#include "CEmbedded.h"

extern const struct embedded_file ibans_data;
