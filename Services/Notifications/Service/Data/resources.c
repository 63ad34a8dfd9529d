#include "NotificationsData.h"

static const unsigned char english[] = {
#embed "en.txt"
};
static const unsigned char italian[] = {
#embed "it.txt"
};

static const struct embedded_file files[] = {
    {"en.txt", english, sizeof english},
    {"it.txt", italian, sizeof italian},
};
const struct embedded_file *const notifications_data = files;
const size_t notifications_data_count = sizeof files / sizeof files[0];
