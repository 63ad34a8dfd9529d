#include "IBANsData.h"

static const unsigned char ibans[] = {
#embed "iban.json"
};

const struct embedded_file ibans_data = {"iban.json", ibans, sizeof ibans};
