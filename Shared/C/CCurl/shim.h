#include <curl/curl.h>

// curl's setters are variadic, which Swift cannot call.
static inline CURLcode ezwallet_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ezwallet_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ezwallet_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ezwallet_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*ezwallet_data_callback)(char *, size_t, size_t, void *);

static inline CURLcode ezwallet_set_data(CURL *easy, CURLoption option,
                                         ezwallet_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLMcode ezwallet_multi_socket(CURLM *multi, curl_socket_callback callback,
                                              void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode ezwallet_multi_timer(CURLM *multi, curl_multi_timer_callback callback,
                                             void *context) {
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

static inline long ezwallet_response_code(CURL *easy) {
    long code = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

static inline CURLcode ezwallet_message_result(CURLMsg *message) { return message->data.result; }
