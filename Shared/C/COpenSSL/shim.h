#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/crypto.h>
#include <openssl/x509.h>
#include <openssl/pem.h>
#include <openssl/bio.h>
#include <openssl/param_build.h>
#include <openssl/core_names.h>
#include <openssl/rsa.h>

// Macros of OpenSSL that Swift cannot call.
static inline long ezwallet_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

// Protocol versions, suites and modes, as RFC 9325 wants them.
static inline void ezwallet_configure_tls(SSL_CTX *context, int server) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
        | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE
        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK");
    SSL_CTX_set1_groups_list(context, "X25519:P-256");
    if (server) {
        // Tickets carry the state: nothing to keep, the same for all loops and replicas.
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_session_id_context(context, (const unsigned char *)"ezwallet", 8);
        SSL_CTX_set_max_early_data(context, 0);
    }
}

// The MAC of session tickets: HMAC-SHA-256 under this key.
static inline int ezwallet_set_ticket_mac(EVP_MAC_CTX *mac, const unsigned char *key, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, length),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(mac, parameters);
}

// Keys of P-256 and their signatures as JOSE writes them (R and S, 32 bytes each).
static inline EVP_PKEY *ezwallet_generate_p256(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

static inline EVP_PKEY *ezwallet_p256_from_point(const unsigned char *point, size_t length) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (!context) return NULL;
    if (EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
    EVP_PKEY_CTX_free(context);
    if (!key) return NULL;
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new(key, NULL);
    int good = check && EVP_PKEY_public_check(check) == 1;
    EVP_PKEY_CTX_free(check);
    if (!good) { EVP_PKEY_free(key); return NULL; }
    return key;
}

static inline EVP_PKEY *ezwallet_key_from_der(const unsigned char *bytes, size_t length) {
    const unsigned char *at = bytes;
    return d2i_AutoPrivateKey(NULL, &at, (long)length);
}

static inline long ezwallet_key_to_der(EVP_PKEY *key, unsigned char *bytes, size_t capacity) {
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    if (!info) return -1;
    int length = i2d_PKCS8_PRIV_KEY_INFO(info, NULL);
    if (length > 0 && (size_t)length <= capacity) i2d_PKCS8_PRIV_KEY_INFO(info, &bytes);
    else length = -1;
    PKCS8_PRIV_KEY_INFO_free(info);
    return length;
}

static inline int ezwallet_es256_sign(EVP_PKEY *key, const unsigned char *bytes, size_t length,
                                      unsigned char *signature) {
    unsigned char der[80];
    size_t der_length = sizeof der;
    int done = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestSign(context, der, &der_length, bytes, length) == 1) {
        const unsigned char *at = der;
        ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)der_length);
        if (pair) {
            done = BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
            ECDSA_SIG_free(pair);
        }
    }
    EVP_MD_CTX_free(context);
    return done;
}

static inline int ezwallet_es256_verify(EVP_PKEY *key, const unsigned char *bytes, size_t length,
                                        const unsigned char *signature) {
    int good = 0;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL);
    BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        unsigned char *der = NULL;
        int der_length = i2d_ECDSA_SIG(pair, &der);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        if (der_length > 0 && context
            && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1)
            good = EVP_DigestVerify(context, der, (size_t)der_length, bytes, length) == 1;
        EVP_MD_CTX_free(context);
        OPENSSL_free(der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    ERR_clear_error();
    return good;
}

// Public keys of others: verified only. Which digest is said by its length in bits.
static inline const EVP_MD *ezwallet_digest(int bits) {
    switch (bits) {
    case 256: return EVP_sha256();
    case 384: return EVP_sha384();
    case 512: return EVP_sha512();
    default: return NULL;
    }
}

static inline EVP_PKEY *ezwallet_public_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!context || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
    EVP_PKEY_CTX_free(context);
    if (key) {
        EVP_PKEY_CTX *check = EVP_PKEY_CTX_new(key, NULL);
        int good = check && EVP_PKEY_public_check(check) == 1;
        EVP_PKEY_CTX_free(check);
        if (!good) { EVP_PKEY_free(key); key = NULL; }
    }
    ERR_clear_error();
    return key;
}

static inline EVP_PKEY *ezwallet_ec_from_point(const char *curve, const unsigned char *point,
                                               size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    return ezwallet_public_key("EC", parameters);
}

static inline EVP_PKEY *ezwallet_rsa_from_numbers(const unsigned char *modulus, size_t size,
                                                  const unsigned char *exponent, size_t length) {
    EVP_PKEY *key = NULL;
    BIGNUM *n = BN_bin2bn(modulus, (int)size, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
        OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
        if (parameters) key = ezwallet_public_key("RSA", parameters);
        OSSL_PARAM_free(parameters);
    }
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

static inline EVP_PKEY *ezwallet_ed25519_from_bytes(const unsigned char *bytes) {
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, 32);
}

// ECDSA over R and S of `half` bytes each (RFC 7518, 3.4); never their DER.
static inline int ezwallet_ecdsa_verify(EVP_PKEY *key, int bits, const unsigned char *bytes,
                                        size_t length, const unsigned char *signature, int half) {
    int good = 0;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, half, NULL);
    BIGNUM *s = BN_bin2bn(signature + half, half, NULL);
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        unsigned char *der = NULL;
        int der_length = i2d_ECDSA_SIG(pair, &der);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        if (der_length > 0 && context
            && EVP_DigestVerifyInit(context, NULL, ezwallet_digest(bits), NULL, key) == 1)
            good = EVP_DigestVerify(context, der, (size_t)der_length, bytes, length) == 1;
        EVP_MD_CTX_free(context);
        OPENSSL_free(der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    ERR_clear_error();
    return good;
}

// RSA, PKCS #1 1.5 or PSS with a salt as long as the digest and its MGF1 (RFC 7518, 3.3 and 3.5).
static inline int ezwallet_rsa_verify(EVP_PKEY *key, int bits, int pss, const unsigned char *bytes,
                                      size_t length, const unsigned char *signature, size_t size) {
    int good = 0;
    EVP_PKEY_CTX *options = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context
        && EVP_DigestVerifyInit(context, &options, ezwallet_digest(bits), NULL, key) == 1
        && EVP_PKEY_CTX_set_rsa_padding(options,
               pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING) == 1
        && (!pss || EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1))
        good = EVP_DigestVerify(context, signature, size, bytes, length) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return good;
}

static inline int ezwallet_ed25519_verify(EVP_PKEY *key, const unsigned char *bytes, size_t length,
                                          const unsigned char *signature) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1
        && EVP_DigestVerify(context, signature, 64, bytes, length) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return good;
}
