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

// The chain of a server is that of its identity: otherwise OpenSSL builds one for each handshake.
static inline void copenssl_context_send_only_given_chain(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
}

// No session can be resumed: each connection verifies the peer's certificate.
static inline void copenssl_context_forbid_resumption(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Adds an extension in the syntax of x509v3_config(5). `issuer` is the certificate itself if it is
// signed by its own key.
static inline int copenssl_certificate_extend(
  X509 *certificate, X509 *issuer, int kind, const char *value
) {
  X509V3_CTX context = {0};
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  if (extension == NULL) return 0;
  int isAdded = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return isAdded;
}

static inline int copenssl_session_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name) == 1;
}

static inline int copenssl_error_reason(unsigned long error) { return ERR_GET_REASON(error); }

static inline void copenssl_free(void *bytes) { OPENSSL_free(bytes); }
