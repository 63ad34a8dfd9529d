#include "GatewayExamples.h"

static const unsigned char examples[] = {
#embed "examples.json"
};

static const struct embedded_file files[] = {
    {"examples.json", examples, sizeof examples},
};
const struct embedded_file *const gateway_examples = files;
const size_t gateway_examples_count = sizeof files / sizeof files[0];
