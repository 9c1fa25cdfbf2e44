#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <openssl/kdf.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>

// Macros of OpenSSL that Swift cannot import, as functions.

static inline void copenssl_bio_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void copenssl_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline int copenssl_context_set_versions(SSL_CTX *context, int lowest, int highest) {
  return SSL_CTX_set_min_proto_version(context, lowest)
    && SSL_CTX_set_max_proto_version(context, highest);
}

static inline int copenssl_context_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add0_chain_cert(context, certificate) == 1;
}

static inline int copenssl_context_set_groups(SSL_CTX *context, const char *groups) {
  return SSL_CTX_set1_groups_list(context, groups) == 1;
}

// Options of every context: what the protocol made unsafe is off, the server's order decides.
static inline void copenssl_context_harden(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
    | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
}

static inline int copenssl_session_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name) == 1;
}

static inline int copenssl_error_reason(unsigned long error) { return ERR_GET_REASON(error); }

static inline void copenssl_free(void *bytes) { OPENSSL_free(bytes); }
