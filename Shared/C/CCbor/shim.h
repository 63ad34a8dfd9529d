#include <cbor.h>
#include <cbor/streaming.h>

// One head or scalar of a document, as libcbor's decoder tells it: no memory is taken, no depth.
enum ezwallet_cbor_kind {
    EZWALLET_CBOR_REFUSED,  // floats, tags, indefinite lengths, undefined, breaks
    EZWALLET_CBOR_POSITIVE,
    EZWALLET_CBOR_NEGATIVE,  // -1 - number
    EZWALLET_CBOR_BYTES,     // the last `number` bytes of what was read
    EZWALLET_CBOR_TEXT,
    EZWALLET_CBOR_ARRAY,  // `number` items follow
    EZWALLET_CBOR_MAP,    // `number` pairs follow
    EZWALLET_CBOR_BOOL,
    EZWALLET_CBOR_NULL,
};

struct ezwallet_cbor_item {
    enum ezwallet_cbor_kind kind;
    uint64_t number;
};

#define EZWALLET_CBOR_TAKES(name, type, what, value)                            \
    static inline void ezwallet_cbor_##name(void *item, type number) {          \
        *(struct ezwallet_cbor_item *)item = (struct ezwallet_cbor_item){what, value}; \
    }
EZWALLET_CBOR_TAKES(uint8, uint8_t, EZWALLET_CBOR_POSITIVE, number)
EZWALLET_CBOR_TAKES(uint16, uint16_t, EZWALLET_CBOR_POSITIVE, number)
EZWALLET_CBOR_TAKES(uint32, uint32_t, EZWALLET_CBOR_POSITIVE, number)
EZWALLET_CBOR_TAKES(uint64, uint64_t, EZWALLET_CBOR_POSITIVE, number)
EZWALLET_CBOR_TAKES(negint8, uint8_t, EZWALLET_CBOR_NEGATIVE, number)
EZWALLET_CBOR_TAKES(negint16, uint16_t, EZWALLET_CBOR_NEGATIVE, number)
EZWALLET_CBOR_TAKES(negint32, uint32_t, EZWALLET_CBOR_NEGATIVE, number)
EZWALLET_CBOR_TAKES(negint64, uint64_t, EZWALLET_CBOR_NEGATIVE, number)
EZWALLET_CBOR_TAKES(array, size_t, EZWALLET_CBOR_ARRAY, number)
EZWALLET_CBOR_TAKES(map, size_t, EZWALLET_CBOR_MAP, number)
EZWALLET_CBOR_TAKES(boolean, bool, EZWALLET_CBOR_BOOL, number)
static inline void ezwallet_cbor_bytes(void *item, cbor_data bytes, size_t count) {
    (void)bytes;
    *(struct ezwallet_cbor_item *)item = (struct ezwallet_cbor_item){EZWALLET_CBOR_BYTES, count};
}
static inline void ezwallet_cbor_text(void *item, cbor_data bytes, size_t count) {
    (void)bytes;
    *(struct ezwallet_cbor_item *)item = (struct ezwallet_cbor_item){EZWALLET_CBOR_TEXT, count};
}
static inline void ezwallet_cbor_null(void *item) {
    *(struct ezwallet_cbor_item *)item = (struct ezwallet_cbor_item){EZWALLET_CBOR_NULL, 0};
}

// Reads the head at the beginning of `bytes`, with the content of a string; how many bytes it has
// taken, or 0 where there is none that is whole.
static inline size_t ezwallet_cbor_next(const unsigned char *bytes, size_t count,
                                        struct ezwallet_cbor_item *item) {
    struct cbor_callbacks callbacks = cbor_empty_callbacks;
    callbacks.uint8 = ezwallet_cbor_uint8;
    callbacks.uint16 = ezwallet_cbor_uint16;
    callbacks.uint32 = ezwallet_cbor_uint32;
    callbacks.uint64 = ezwallet_cbor_uint64;
    callbacks.negint8 = ezwallet_cbor_negint8;
    callbacks.negint16 = ezwallet_cbor_negint16;
    callbacks.negint32 = ezwallet_cbor_negint32;
    callbacks.negint64 = ezwallet_cbor_negint64;
    callbacks.byte_string = ezwallet_cbor_bytes;
    callbacks.string = ezwallet_cbor_text;
    callbacks.array_start = ezwallet_cbor_array;
    callbacks.map_start = ezwallet_cbor_map;
    callbacks.boolean = ezwallet_cbor_boolean;
    callbacks.null = ezwallet_cbor_null;
    *item = (struct ezwallet_cbor_item){EZWALLET_CBOR_REFUSED, 0};
    struct cbor_decoder_result result = cbor_stream_decode(bytes, count, &callbacks, item);
    return result.status == CBOR_DECODER_FINISHED ? result.read : 0;
}
