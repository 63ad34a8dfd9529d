#include "BankFilesData.h"

static const unsigned char columns[] = {
#embed "columns.txt"
};
static const unsigned char exporters[] = {
#embed "exporters.txt"
};
static const unsigned char words[] = {
#embed "words.txt"
};

static const struct embedded_file files[] = {
    {"columns.txt", columns, sizeof columns},
    {"exporters.txt", exporters, sizeof exporters},
    {"words.txt", words, sizeof words},
};
const struct embedded_file *const bank_files_data = files;
const size_t bank_files_data_count = sizeof files / sizeof files[0];
