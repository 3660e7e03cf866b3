// The functions of libpq that Wright calls; see late_library.h.
#include <libpq-fe.h>

#include "late_library.h"

namespace {

using wright::late::call;
using wright::late::call_void;

const wright::late::Library& pq_library() {
  static const wright::late::Library library{"libpq.so.5"};
  return library;
}

}  // namespace

extern "C" {

PGconn* PQconnectdbParams(const char* const* names, const char* const* values, int expand) {
  return call<&PQconnectdbParams, pq_library>("PQconnectdbParams", static_cast<PGconn*>(nullptr),
                                              names, values, expand);
}
PGconn* PQconnectStartParams(const char* const* names, const char* const* values, int expand) {
  return call<&PQconnectStartParams, pq_library>(
      "PQconnectStartParams", static_cast<PGconn*>(nullptr), names, values, expand);
}
PostgresPollingStatusType PQconnectPoll(PGconn* connection) {
  return call<&PQconnectPoll, pq_library>("PQconnectPoll", PGRES_POLLING_FAILED, connection);
}
PQconninfoOption* PQconndefaults() {
  return call<&PQconndefaults, pq_library>("PQconndefaults",
                                           static_cast<PQconninfoOption*>(nullptr));
}
PQconninfoOption* PQconninfo(PGconn* connection) {
  return call<&PQconninfo, pq_library>("PQconninfo", static_cast<PQconninfoOption*>(nullptr),
                                       connection);
}
PQconninfoOption* PQconninfoParse(const char* text, char** problem) {
  return call<&PQconninfoParse, pq_library>(
      "PQconninfoParse", static_cast<PQconninfoOption*>(nullptr), text, problem);
}
void PQconninfoFree(PQconninfoOption* options) {
  call_void<&PQconninfoFree, pq_library>("PQconninfoFree", options);
}
char* PQresultErrorMessage(const PGresult* result) {
  static char none[] = "";
  return call<&PQresultErrorMessage, pq_library>("PQresultErrorMessage", +none, result);
}
void PQfinish(PGconn* connection) {
  call_void<&PQfinish, pq_library>("PQfinish", connection);
}
ConnStatusType PQstatus(const PGconn* connection) {
  return call<&PQstatus, pq_library>("PQstatus", CONNECTION_BAD, connection);
}
PGTransactionStatusType PQtransactionStatus(const PGconn* connection) {
  return call<&PQtransactionStatus, pq_library>("PQtransactionStatus", PQTRANS_UNKNOWN, connection);
}
int PQserverVersion(const PGconn* connection) {
  return call<&PQserverVersion, pq_library>("PQserverVersion", 0, connection);
}
int PQbackendPID(const PGconn* connection) {
  return call<&PQbackendPID, pq_library>("PQbackendPID", 0, connection);
}
int PQsocket(const PGconn* connection) {
  return call<&PQsocket, pq_library>("PQsocket", -1, connection);
}
char* PQerrorMessage(const PGconn* connection) {
  return call<&PQerrorMessage, pq_library>("PQerrorMessage", static_cast<char*>(nullptr),
                                           connection);
}
int PQconnectionNeedsPassword(const PGconn* connection) {
  return call<&PQconnectionNeedsPassword, pq_library>("PQconnectionNeedsPassword", 0, connection);
}
int PQconnectionUsedPassword(const PGconn* connection) {
  return call<&PQconnectionUsedPassword, pq_library>("PQconnectionUsedPassword", 0, connection);
}
int PQsetnonblocking(PGconn* connection, int is_on) {
  return call<&PQsetnonblocking, pq_library>("PQsetnonblocking", -1, connection, is_on);
}
int PQenterPipelineMode(PGconn* connection) {
  return call<&PQenterPipelineMode, pq_library>("PQenterPipelineMode", 0, connection);
}
int PQpipelineSync(PGconn* connection) {
  return call<&PQpipelineSync, pq_library>("PQpipelineSync", 0, connection);
}
PQnoticeReceiver PQsetNoticeReceiver(PGconn* connection, PQnoticeReceiver receiver, void* data) {
  return call<&PQsetNoticeReceiver, pq_library>(
      "PQsetNoticeReceiver", static_cast<PQnoticeReceiver>(nullptr), connection, receiver, data);
}
int PQconsumeInput(PGconn* connection) {
  return call<&PQconsumeInput, pq_library>("PQconsumeInput", 0, connection);
}
int PQflush(PGconn* connection) {
  return call<&PQflush, pq_library>("PQflush", -1, connection);
}
int PQisBusy(PGconn* connection) {
  return call<&PQisBusy, pq_library>("PQisBusy", 0, connection);
}
PGnotify* PQnotifies(PGconn* connection) {
  return call<&PQnotifies, pq_library>("PQnotifies", static_cast<PGnotify*>(nullptr), connection);
}
void PQfreemem(void* memory) {
  call_void<&PQfreemem, pq_library>("PQfreemem", memory);
}
PGcancel* PQgetCancel(PGconn* connection) {
  return call<&PQgetCancel, pq_library>("PQgetCancel", static_cast<PGcancel*>(nullptr), connection);
}
int PQcancel(PGcancel* cancel, char* message, int size) {
  return call<&PQcancel, pq_library>("PQcancel", 0, cancel, message, size);
}
void PQfreeCancel(PGcancel* cancel) {
  call_void<&PQfreeCancel, pq_library>("PQfreeCancel", cancel);
}
int PQsendPrepare(PGconn* connection, const char* name, const char* query, int count,
                  const Oid* types) {
  return call<&PQsendPrepare, pq_library>("PQsendPrepare", 0, connection, name, query, count,
                                          types);
}
int PQsendQueryParams(PGconn* connection, const char* query, int count, const Oid* types,
                      const char* const* values, const int* lengths, const int* formats,
                      int format) {
  return call<&PQsendQueryParams, pq_library>("PQsendQueryParams", 0, connection, query, count,
                                              types, values, lengths, formats, format);
}
int PQsendQueryPrepared(PGconn* connection, const char* name, int count, const char* const* values,
                        const int* lengths, const int* formats, int format) {
  return call<&PQsendQueryPrepared, pq_library>("PQsendQueryPrepared", 0, connection, name, count,
                                                values, lengths, formats, format);
}
PGresult* PQgetResult(PGconn* connection) {
  return call<&PQgetResult, pq_library>("PQgetResult", static_cast<PGresult*>(nullptr), connection);
}
ExecStatusType PQresultStatus(const PGresult* result) {
  return call<&PQresultStatus, pq_library>("PQresultStatus", PGRES_FATAL_ERROR, result);
}
char* PQresultErrorField(const PGresult* result, int field) {
  return call<&PQresultErrorField, pq_library>("PQresultErrorField", static_cast<char*>(nullptr),
                                               result, field);
}
int PQntuples(const PGresult* result) {
  return call<&PQntuples, pq_library>("PQntuples", 0, result);
}
char* PQgetvalue(const PGresult* result, int row, int column) {
  return call<&PQgetvalue, pq_library>("PQgetvalue", static_cast<char*>(nullptr), result, row,
                                       column);
}
int PQgetlength(const PGresult* result, int row, int column) {
  return call<&PQgetlength, pq_library>("PQgetlength", 0, result, row, column);
}
int PQgetisnull(const PGresult* result, int row, int column) {
  return call<&PQgetisnull, pq_library>("PQgetisnull", 1, result, row, column);
}
void PQclear(PGresult* result) {
  call_void<&PQclear, pq_library>("PQclear", result);
}

}  // extern "C"
