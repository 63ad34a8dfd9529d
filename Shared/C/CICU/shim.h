#include <unicode/ucnv.h>
#include <unicode/udat.h>
#include <unicode/unum.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/uclean.h>
#include <unicode/uidna.h>
#include <unicode/uloc.h>
#include <unicode/uspoof.h>

// ICU's symbols carry its version in their names, by macros that Swift does not see.
static inline const UNormalizer2 *ezwallet_nfkc_casefold(UErrorCode *status) {
    return unorm2_getNFKCCasefoldInstance(status);
}

static inline const UNormalizer2 *ezwallet_nfc(UErrorCode *status) {
    return unorm2_getNFCInstance(status);
}

static inline const UNormalizer2 *ezwallet_nfd(UErrorCode *status) {
    return unorm2_getNFDInstance(status);
}

static inline int32_t ezwallet_convert(const char *to, const char *from, char *target,
                                       int32_t capacity, const char *source, int32_t length,
                                       UErrorCode *status) {
    return ucnv_convert(to, from, target, capacity, source, length, status);
}

static inline int32_t ezwallet_normalize(const UNormalizer2 *normalizer, const UChar *source,
                                         int32_t length, UChar *target, int32_t capacity,
                                         UErrorCode *status) {
    return unorm2_normalize(normalizer, source, length, target, capacity, status);
}

// An exact decimal in, no double: text of a currency as the locale writes it.
static inline int32_t ezwallet_format_money(const char *locale, const UChar *code, int32_t digits,
                                            const char *decimal, int32_t length, UChar *result,
                                            int32_t capacity, UErrorCode *status) {
    UNumberFormat *format = unum_open(UNUM_CURRENCY, 0, 0, locale, 0, status);
    if (!format) return 0;
    unum_setTextAttribute(format, UNUM_CURRENCY_CODE, code, 3, status);
    unum_setAttribute(format, UNUM_FRACTION_DIGITS, digits);
    int32_t count = unum_formatDecimal(format, decimal, length, result, capacity, 0, status);
    unum_close(format);
    return count;
}

static inline UIDNA *ezwallet_open_idna(UErrorCode *status) {
    return uidna_openUTS46(UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ
                               | UIDNA_CHECK_CONTEXTO | UIDNA_NONTRANSITIONAL_TO_ASCII
                               | UIDNA_NONTRANSITIONAL_TO_UNICODE,
                           status);
}

static inline void ezwallet_close_idna(UIDNA *idna) { uidna_close(idna); }

// The number of bytes, or -1 where the name is none.
static inline int32_t ezwallet_domain_to_ascii(const UIDNA *idna, const char *name, int32_t length,
                                               char *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t count = uidna_nameToASCII_UTF8(idna, name, length, result, capacity, &info, &status);
    return status > 0 || info.errors || count > capacity ? -1 : count;
}

static inline USpoofChecker *ezwallet_open_spoof(UErrorCode *status) {
    USpoofChecker *checker = uspoof_open(status);
    if (*status > 0) return 0;
    uspoof_setChecks(checker, USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE | USPOOF_MIXED_NUMBERS,
                     status);
    uspoof_setRestrictionLevel(checker, USPOOF_HIGHLY_RESTRICTIVE);
    return checker;
}

static inline void ezwallet_close_spoof(USpoofChecker *checker) { uspoof_close(checker); }

// What fails, as bits; 0 where nothing does.
static inline int32_t ezwallet_check_spoof(const USpoofChecker *checker, const char *text,
                                           int32_t length, UErrorCode *status) {
    return uspoof_check2UTF8(checker, text, length, 0, status);
}

static inline int32_t ezwallet_skeleton(const USpoofChecker *checker, const char *text,
                                        int32_t length, char *result, int32_t capacity,
                                        UErrorCode *status) {
    return uspoof_getSkeletonUTF8(checker, 0, text, length, result, capacity, status);
}

// The name of a language as that language writes it.
static inline int32_t ezwallet_language_name(const char *tag, UChar *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t count = uloc_getDisplayName(tag, tag, result, capacity, &status);
    return status > 0 ? 0 : count;
}

static inline const char *const *ezwallet_countries(void) { return uloc_getISOCountries(); }

// Decimals of a locale with so many digits behind the point; one format for many of them.
static inline UNumberFormat *ezwallet_open_decimals(const char *locale, int32_t digits) {
    UErrorCode status = U_ZERO_ERROR;
    UNumberFormat *format = unum_open(UNUM_DECIMAL, 0, 0, locale, 0, &status);
    if (format) unum_setAttribute(format, UNUM_FRACTION_DIGITS, digits);
    return format;
}

static inline void ezwallet_close_decimals(UNumberFormat *format) { unum_close(format); }

static inline int32_t ezwallet_format_decimal(const UNumberFormat *format, const char *decimal,
                                              int32_t length, UChar *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    if (!format) return 0;
    int32_t count = unum_formatDecimal(format, decimal, length, result, capacity, 0, &status);
    return status > 0 ? 0 : count;
}

// Days of a locale, as it shortens them.
static inline UDateFormat *ezwallet_open_days(const char *locale) {
    static const UChar gmt[] = {'G', 'M', 'T', 0};
    UErrorCode status = U_ZERO_ERROR;
    return udat_open(UDAT_NONE, UDAT_MEDIUM, locale, gmt, 3, 0, 0, &status);
}

static inline void ezwallet_close_days(UDateFormat *format) { udat_close(format); }

static inline int32_t ezwallet_format_day(const UDateFormat *format, double millis, UChar *result,
                                          int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    if (!format) return 0;
    int32_t count = udat_format(format, millis, result, capacity, 0, &status);
    return status > 0 ? 0 : count;
}
