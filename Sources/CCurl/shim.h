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

typedef int (*ccurl_progress)(
    void *context, curl_off_t to_receive, curl_off_t received, curl_off_t to_send,
    curl_off_t sent);

static inline CURLcode ccurl_set_progress(CURL *handle, ccurl_progress report, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, report);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) : code;
}

static inline long ccurl_response_code(CURL *handle) {
  long code = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
  return code;
}

// Callbacks: a body to post, what comes back, and the door through which every connection goes.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static inline CURLcode ccurl_set_body(CURL *handle, const char *bytes, long count) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, count);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

static inline CURLcode ccurl_set_receivers(
    CURL *handle, ccurl_transfer body, ccurl_transfer head, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, head);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

typedef curl_socket_t (*ccurl_door)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode ccurl_set_door(CURL *handle, ccurl_door open, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context) : code;
}

// The bytes of the address that a connection is about to go to: 4, 16, or 0 for another family.
static inline int ccurl_address(const struct curl_sockaddr *address, unsigned char bytes[16]) {
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    const struct sockaddr_in *peer = (const struct sockaddr_in *)&address->addr;
    memcpy(bytes, &peer->sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    const struct sockaddr_in6 *peer = (const struct sockaddr_in6 *)&address->addr;
    memcpy(bytes, &peer->sin6_addr, 16);
    return 16;
  }
  return 0;
}

static inline curl_socket_t ccurl_open(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// An address as text: 4, 16, or 0 for other texts.
static inline int ccurl_parse_address(const char *text, unsigned char bytes[16]) {
  if (inet_pton(AF_INET, text, bytes) == 1) return 4;
  return inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
}

// How many connections may rest for later calls.
static inline CURLMcode ccurl_set_resting_max(CURLM *multi, long count) {
  return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}

// A transfer that has ended, or null.
static inline CURL *ccurl_next_ended(CURLM *multi, CURLcode *code) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg == CURLMSG_DONE) {
      *code = message->data.result;
      return message->easy_handle;
    }
  }
  return 0;
}

// Seconds to wait, from `Retry-After` as a number or a date; 0 without it.
static inline long ccurl_retry_after(CURL *handle) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
  return (long)seconds;
}
