// The functions of OpenSSL that Wright calls; see late_library.h. Unlike the other libraries it is
// not done without: where it cannot be opened, the program ends as it would have at its start.
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>

#include "late_library.h"

namespace {

using wright::late::needed;

const wright::late::Library& crypto_library() {
  static const wright::late::Library library{"libcrypto.so.3"};
  return library;
}

const wright::late::Library& ssl_library() {
  static const wright::late::Library library{"libssl.so.3"};
  return library;
}

}  // namespace

extern "C" {

size_t BIO_ctrl_pending(BIO* b) {
  return needed<&BIO_ctrl_pending, crypto_library>("BIO_ctrl_pending", b);
}
int BIO_free(BIO* a) {
  return needed<&BIO_free, crypto_library>("BIO_free", a);
}
BIO* BIO_new(const BIO_METHOD* type) {
  return needed<&BIO_new, crypto_library>("BIO_new", type);
}
BIO* BIO_new_mem_buf(const void* bytes, int count) {
  return needed<&BIO_new_mem_buf, crypto_library>("BIO_new_mem_buf", bytes, count);
}
int BIO_read(BIO* b, void* bytes, int count) {
  return needed<&BIO_read, crypto_library>("BIO_read", b, bytes, count);
}
const BIO_METHOD* BIO_s_mem() {
  return needed<&BIO_s_mem, crypto_library>("BIO_s_mem");
}
int BIO_write(BIO* b, const void* bytes, int count) {
  return needed<&BIO_write, crypto_library>("BIO_write", b, bytes, count);
}
int CRYPTO_memcmp(const void* a, const void* b, size_t count) {
  return needed<&CRYPTO_memcmp, crypto_library>("CRYPTO_memcmp", a, b, count);
}
void ERR_clear_error() {
  return needed<&ERR_clear_error, crypto_library>("ERR_clear_error");
}
void ERR_error_string_n(unsigned long error, char* text, size_t size) {
  return needed<&ERR_error_string_n, crypto_library>("ERR_error_string_n", error, text, size);
}
unsigned long ERR_get_error() {
  return needed<&ERR_get_error, crypto_library>("ERR_get_error");
}
int EVP_DecodeBlock(unsigned char* to, const unsigned char* from, int count) {
  return needed<&EVP_DecodeBlock, crypto_library>("EVP_DecodeBlock", to, from, count);
}
int EVP_DigestSign(EVP_MD_CTX* context, unsigned char* signature, size_t* size,
                   const unsigned char* bytes, size_t count) {
  return needed<&EVP_DigestSign, crypto_library>("EVP_DigestSign", context, signature, size, bytes,
                                                 count);
}
int EVP_DigestSignInit(EVP_MD_CTX* context, EVP_PKEY_CTX** key_context, const EVP_MD* type,
                       ENGINE* engine, EVP_PKEY* key) {
  return needed<&EVP_DigestSignInit, crypto_library>("EVP_DigestSignInit", context, key_context,
                                                     type, engine, key);
}
int EVP_EncodeBlock(unsigned char* to, const unsigned char* from, int count) {
  return needed<&EVP_EncodeBlock, crypto_library>("EVP_EncodeBlock", to, from, count);
}
void EVP_MD_CTX_free(EVP_MD_CTX* context) {
  return needed<&EVP_MD_CTX_free, crypto_library>("EVP_MD_CTX_free", context);
}
EVP_MD_CTX* EVP_MD_CTX_new() {
  return needed<&EVP_MD_CTX_new, crypto_library>("EVP_MD_CTX_new");
}
void EVP_PKEY_free(EVP_PKEY* key) {
  return needed<&EVP_PKEY_free, crypto_library>("EVP_PKEY_free", key);
}
int EVP_PKEY_get_base_id(const EVP_PKEY* key) {
  return needed<&EVP_PKEY_get_base_id, crypto_library>("EVP_PKEY_get_base_id", key);
}
const EVP_MD* EVP_sha256() {
  return needed<&EVP_sha256, crypto_library>("EVP_sha256");
}
unsigned char* HMAC(const EVP_MD* type, const void* key, int key_size, const unsigned char* bytes,
                    size_t count, unsigned char* digest, unsigned int* size) {
  return needed<&HMAC, crypto_library>("HMAC", type, key, key_size, bytes, count, digest, size);
}
EVP_PKEY* PEM_read_bio_PrivateKey(BIO* b, EVP_PKEY** key, pem_password_cb* callback, void* data) {
  return needed<&PEM_read_bio_PrivateKey, crypto_library>("PEM_read_bio_PrivateKey", b, key,
                                                          callback, data);
}
int RAND_bytes(unsigned char* bytes, int count) {
  return needed<&RAND_bytes, crypto_library>("RAND_bytes", bytes, count);
}
unsigned char* SHA256(const unsigned char* bytes, size_t count, unsigned char* digest) {
  return needed<&SHA256, crypto_library>("SHA256", bytes, count, digest);
}

int SSL_CTX_check_private_key(const SSL_CTX* context) {
  return needed<&SSL_CTX_check_private_key, ssl_library>("SSL_CTX_check_private_key", context);
}
long SSL_CTX_ctrl(SSL_CTX* context, int command, long number, void* data) {
  return needed<&SSL_CTX_ctrl, ssl_library>("SSL_CTX_ctrl", context, command, number, data);
}
void SSL_CTX_free(SSL_CTX* context) {
  return needed<&SSL_CTX_free, ssl_library>("SSL_CTX_free", context);
}
SSL_CTX* SSL_CTX_new(const SSL_METHOD* method) {
  return needed<&SSL_CTX_new, ssl_library>("SSL_CTX_new", method);
}
void SSL_CTX_set_alpn_select_cb(SSL_CTX* context, SSL_CTX_alpn_select_cb_func callback,
                                void* data) {
  return needed<&SSL_CTX_set_alpn_select_cb, ssl_library>("SSL_CTX_set_alpn_select_cb", context,
                                                          callback, data);
}
void SSL_CTX_set_default_passwd_cb(SSL_CTX* context, pem_password_cb* callback) {
  return needed<&SSL_CTX_set_default_passwd_cb, ssl_library>("SSL_CTX_set_default_passwd_cb",
                                                             context, callback);
}
uint64_t SSL_CTX_set_options(SSL_CTX* context, uint64_t options) {
  return needed<&SSL_CTX_set_options, ssl_library>("SSL_CTX_set_options", context, options);
}
int SSL_CTX_use_PrivateKey_file(SSL_CTX* context, const char* file, int type) {
  return needed<&SSL_CTX_use_PrivateKey_file, ssl_library>("SSL_CTX_use_PrivateKey_file", context,
                                                           file, type);
}
int SSL_CTX_use_certificate_chain_file(SSL_CTX* context, const char* file) {
  return needed<&SSL_CTX_use_certificate_chain_file, ssl_library>(
      "SSL_CTX_use_certificate_chain_file", context, file);
}
void SSL_free(SSL* ssl) {
  return needed<&SSL_free, ssl_library>("SSL_free", ssl);
}
int SSL_get_error(const SSL* ssl, int code) {
  return needed<&SSL_get_error, ssl_library>("SSL_get_error", ssl, code);
}
BIO* SSL_get_rbio(const SSL* ssl) {
  return needed<&SSL_get_rbio, ssl_library>("SSL_get_rbio", ssl);
}
int SSL_get_shutdown(const SSL* ssl) {
  return needed<&SSL_get_shutdown, ssl_library>("SSL_get_shutdown", ssl);
}
BIO* SSL_get_wbio(const SSL* ssl) {
  return needed<&SSL_get_wbio, ssl_library>("SSL_get_wbio", ssl);
}
int SSL_is_init_finished(const SSL* ssl) {
  return needed<&SSL_is_init_finished, ssl_library>("SSL_is_init_finished", ssl);
}
SSL* SSL_new(SSL_CTX* context) {
  return needed<&SSL_new, ssl_library>("SSL_new", context);
}
int SSL_read(SSL* ssl, void* bytes, int count) {
  return needed<&SSL_read, ssl_library>("SSL_read", ssl, bytes, count);
}
int SSL_select_next_proto(unsigned char** out, unsigned char* out_size, const unsigned char* server,
                          unsigned int server_size, const unsigned char* client,
                          unsigned int client_size) {
  return needed<&SSL_select_next_proto, ssl_library>("SSL_select_next_proto", out, out_size, server,
                                                     server_size, client, client_size);
}
void SSL_set_accept_state(SSL* ssl) {
  return needed<&SSL_set_accept_state, ssl_library>("SSL_set_accept_state", ssl);
}
void SSL_set_bio(SSL* ssl, BIO* in, BIO* out) {
  return needed<&SSL_set_bio, ssl_library>("SSL_set_bio", ssl, in, out);
}
int SSL_write(SSL* ssl, const void* bytes, int count) {
  return needed<&SSL_write, ssl_library>("SSL_write", ssl, bytes, count);
}
const SSL_METHOD* TLS_server_method() {
  return needed<&TLS_server_method, ssl_library>("TLS_server_method");
}

}  // extern "C"
