// The functions of libcurl that Wright calls; see late_library.h.
#include <curl/curl.h>

#include <cstdarg>

#include "late_library.h"

// Macros that check the types of a call.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace {

using wright::late::call;
using wright::late::call_void;

const wright::late::Library& curl_library() {
  static const wright::late::Library library{"libcurl.so.4", "libcurl-gnutls.so.4"};
  return library;
}

}  // namespace

extern "C" {

// What follows an option is one value of the size of a pointer: a number, a pointer or a function. The
// option itself is an enum, here as in libcurl, although va_start would rather have an int.
#pragma GCC diagnostic ignored "-Wvarargs"
CURLcode curl_easy_setopt(CURL* handle, CURLoption option, ...) {
  va_list values;
  va_start(values, option);
  void* const value = va_arg(values, void*);
  va_end(values);
  return call<&curl_easy_setopt, curl_library>("curl_easy_setopt", CURLE_FAILED_INIT, handle,
                                               option, value);
}
CURLcode curl_easy_getinfo(CURL* handle, CURLINFO info, ...) {
  va_list values;
  va_start(values, info);
  void* const value = va_arg(values, void*);
  va_end(values);
  return call<&curl_easy_getinfo, curl_library>("curl_easy_getinfo", CURLE_FAILED_INIT, handle,
                                                info, value);
}
CURLMcode curl_multi_setopt(CURLM* multi, CURLMoption option, ...) {
  va_list values;
  va_start(values, option);
  void* const value = va_arg(values, void*);
  va_end(values);
  return call<&curl_multi_setopt, curl_library>("curl_multi_setopt", CURLM_BAD_HANDLE, multi,
                                                option, value);
}

CURLcode curl_global_init(long flags) {
  return call<&curl_global_init, curl_library>("curl_global_init", CURLE_FAILED_INIT, flags);
}
CURL* curl_easy_init() {
  return call<&curl_easy_init, curl_library>("curl_easy_init", static_cast<CURL*>(nullptr));
}
void curl_easy_reset(CURL* handle) {
  call_void<&curl_easy_reset, curl_library>("curl_easy_reset", handle);
}
void curl_easy_cleanup(CURL* handle) {
  call_void<&curl_easy_cleanup, curl_library>("curl_easy_cleanup", handle);
}
const char* curl_easy_strerror(CURLcode code) {
  return call<&curl_easy_strerror, curl_library>(
      "curl_easy_strerror", static_cast<const char*>("libcurl is not there"), code);
}
CURLM* curl_multi_init() {
  return call<&curl_multi_init, curl_library>("curl_multi_init", static_cast<CURLM*>(nullptr));
}
CURLMcode curl_multi_cleanup(CURLM* multi) {
  return call<&curl_multi_cleanup, curl_library>("curl_multi_cleanup", CURLM_BAD_HANDLE, multi);
}
CURLMcode curl_multi_add_handle(CURLM* multi, CURL* handle) {
  return call<&curl_multi_add_handle, curl_library>("curl_multi_add_handle", CURLM_BAD_HANDLE,
                                                    multi, handle);
}
CURLMcode curl_multi_remove_handle(CURLM* multi, CURL* handle) {
  return call<&curl_multi_remove_handle, curl_library>("curl_multi_remove_handle", CURLM_BAD_HANDLE,
                                                       multi, handle);
}
CURLMcode curl_multi_assign(CURLM* multi, curl_socket_t socket, void* data) {
  return call<&curl_multi_assign, curl_library>("curl_multi_assign", CURLM_BAD_HANDLE, multi,
                                                socket, data);
}
CURLMcode curl_multi_socket_action(CURLM* multi, curl_socket_t socket, int events, int* running) {
  return call<&curl_multi_socket_action, curl_library>("curl_multi_socket_action", CURLM_BAD_HANDLE,
                                                       multi, socket, events, running);
}
CURLMsg* curl_multi_info_read(CURLM* multi, int* left) {
  return call<&curl_multi_info_read, curl_library>("curl_multi_info_read",
                                                   static_cast<CURLMsg*>(nullptr), multi, left);
}
curl_slist* curl_slist_append(curl_slist* list, const char* text) {
  return call<&curl_slist_append, curl_library>("curl_slist_append",
                                                static_cast<curl_slist*>(nullptr), list, text);
}
void curl_slist_free_all(curl_slist* list) {
  call_void<&curl_slist_free_all, curl_library>("curl_slist_free_all", list);
}
void curl_free(void* memory) {
  call_void<&curl_free, curl_library>("curl_free", memory);
}
CURLU* curl_url() {
  return call<&curl_url, curl_library>("curl_url", static_cast<CURLU*>(nullptr));
}
void curl_url_cleanup(CURLU* url) {
  call_void<&curl_url_cleanup, curl_library>("curl_url_cleanup", url);
}
CURLUcode curl_url_get(CURLU* url, CURLUPart part, char** text, unsigned int flags) {
  return call<&curl_url_get, curl_library>("curl_url_get", CURLUE_OUT_OF_MEMORY, url, part, text,
                                           flags);
}
CURLUcode curl_url_set(CURLU* url, CURLUPart part, const char* text, unsigned int flags) {
  return call<&curl_url_set, curl_library>("curl_url_set", CURLUE_OUT_OF_MEMORY, url, part, text,
                                           flags);
}
const char* curl_url_strerror(CURLUcode code) {
  return call<&curl_url_strerror, curl_library>(
      "curl_url_strerror", static_cast<const char*>("libcurl is not there"), code);
}

}  // extern "C"

static_assert(sizeof(long) == sizeof(void*) && sizeof(curl_off_t) == sizeof(void*));
