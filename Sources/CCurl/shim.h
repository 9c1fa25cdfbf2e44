#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take any type, which Swift cannot call: one function for
// each type we pass.

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*ccurl_transfer)(char *buffer, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_reader(CURL *handle, ccurl_transfer read, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READDATA, context) : code;
}

static inline long ccurl_response_code(CURL *handle) {
  long code = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
  return code;
}
