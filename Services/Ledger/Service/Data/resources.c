#include "LedgerData.h"

static const unsigned char rates[] = {
#embed "eurofxref-hist.zip"
};

static const struct embedded_file files[] = {
    {"eurofxref-hist.zip", rates, sizeof rates},
};
const struct embedded_file *const ledger_data = files;
const size_t ledger_data_count = sizeof files / sizeof files[0];
