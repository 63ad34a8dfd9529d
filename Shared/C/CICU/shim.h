#include <unicode/ucal.h>
#include <unicode/udat.h>
#include <unicode/unum.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/uclean.h>
