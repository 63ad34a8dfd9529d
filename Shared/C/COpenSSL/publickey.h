#include <string.h>
#include <openssl/evp.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Public keys from elsewhere, what they have signed, and certificates that only attest.

static inline EVP_PKEY *ezwallet_rsa_from_parts(const unsigned char *n, size_t n_length,
                                                const unsigned char *e, size_t e_length) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY_CTX *context = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *modulus = BN_bin2bn(n, (int)n_length, NULL);
    BIGNUM *exponent = BN_bin2bn(e, (int)e_length, NULL);
    if (builder && modulus && exponent
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1
        && (parameters = OSSL_PARAM_BLD_to_param(builder))
        && (context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL))
        && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus);
    BN_free(exponent);
    ERR_clear_error();
    return key;
}

static inline EVP_PKEY *ezwallet_ed25519_from_raw(const unsigned char *bytes, size_t length) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, length);
    ERR_clear_error();
    return key;
}

// ECDSA's signature is DER (OpenSSL refuses one that is not its shortest form), RSA's PKCS #1 v1.5.
static inline int ezwallet_verify(EVP_PKEY *key, int is_hashed, const unsigned char *signature,
                                  size_t signature_length, const unsigned char *bytes,
                                  size_t length) {
    int good = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context
        && EVP_DigestVerifyInit(context, NULL, is_hashed ? EVP_sha256() : NULL, NULL, key) == 1)
        good = EVP_DigestVerify(context, signature, signature_length, bytes, length) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return good;
}

// What an attestation certificate says of itself (WebAuthn, 8.2.1).
struct ezwallet_certificate {
    long version;
    int has_country, has_organisation, has_attestation_unit, has_common_name;
    int is_no_authority;
    int model_length;  // -1: no extension; 0: a broken, critical or doubled one
    unsigned char model[16];
};

static inline int ezwallet_has_one(X509_NAME *name, int nid, int least, int most,
                                   const char *literal) {
    int at = X509_NAME_get_index_by_NID(name, nid, -1);
    if (at < 0 || X509_NAME_get_index_by_NID(name, nid, at) >= 0) return 0;
    ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
    int length = ASN1_STRING_length(value);
    if (length < least || length > most) return 0;
    return !literal
        || ((size_t)length == strlen(literal)
            && memcmp(ASN1_STRING_get0_data(value), literal, (size_t)length) == 0);
}

// Reads a DER certificate without anything behind it, and its key; NULL where it is none.
static inline EVP_PKEY *ezwallet_read_certificate(const unsigned char *bytes, size_t length,
                                                  struct ezwallet_certificate *facts) {
    const unsigned char *at = bytes;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    EVP_PKEY *key = NULL;
    if (certificate && at == bytes + length) {
        X509_NAME *subject = X509_get_subject_name(certificate);
        facts->version = X509_get_version(certificate) + 1;
        facts->has_country = ezwallet_has_one(subject, NID_countryName, 2, 2, NULL);
        facts->has_organisation = ezwallet_has_one(subject, NID_organizationName, 1, 256, NULL);
        facts->has_attestation_unit = ezwallet_has_one(
            subject, NID_organizationalUnitName, 1, 64, "Authenticator Attestation");
        facts->has_common_name = ezwallet_has_one(subject, NID_commonName, 1, 256, NULL);
        BASIC_CONSTRAINTS *constraints =
            X509_get_ext_d2i(certificate, NID_basic_constraints, NULL, NULL);
        facts->is_no_authority = constraints && !constraints->ca;
        BASIC_CONSTRAINTS_free(constraints);
        facts->model_length = -1;
        ASN1_OBJECT *name = OBJ_txt2obj("1.3.6.1.4.1.45724.1.1.4", 1);
        int place = name ? X509_get_ext_by_OBJ(certificate, name, -1) : -1;
        if (place >= 0) {
            X509_EXTENSION *extension = X509_get_ext(certificate, place);
            ASN1_OCTET_STRING *value = X509_EXTENSION_get_data(extension);
            const unsigned char *inner = ASN1_STRING_get0_data(value);
            // An OCTET STRING of 16 bytes inside the one that every extension has.
            int good = ASN1_STRING_length(value) == 18 && inner[0] == 4 && inner[1] == 16
                && !X509_EXTENSION_get_critical(extension)
                && X509_get_ext_by_OBJ(certificate, name, place) < 0;
            facts->model_length = good ? 16 : 0;
            if (good) memcpy(facts->model, inner + 2, 16);
        }
        ASN1_OBJECT_free(name);
        key = X509_get_pubkey(certificate);
    }
    X509_free(certificate);
    ERR_clear_error();
    return key;
}
