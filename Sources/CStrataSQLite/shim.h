#ifndef STRATA_SQLITE_SHIM_H
#define STRATA_SQLITE_SHIM_H

#include <sqlite3.h>
#include <string.h>

// Swift cannot write SQLITE_STATIC and SQLITE_TRANSIENT: they are casts to a function pointer.

// The bytes must stay valid until the statement is stepped, reset and bound again.
static inline int strata_bind_text_static(sqlite3_stmt *statement, int index, const void *bytes,
                                          sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_STATIC,
                             SQLITE_UTF8);
}

static inline int strata_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes,
                                          sqlite3_uint64 count) {
  // A null pointer binds NULL, so an empty blob needs a pointer to something.
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline int strata_bind_text_copy(sqlite3_stmt *statement, int index, const void *bytes,
                                        sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes ? (const char *)bytes : "", count,
                             SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int strata_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes,
                                        sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// memmem is a GNU extension that the Glibc module hides from Swift.
void *memmem(const void *haystack, size_t haystack_length, const void *needle,
             size_t needle_length);

static inline const void *strata_find(const void *haystack, size_t haystack_length,
                                      const void *needle, size_t needle_length) {
  return memmem(haystack, haystack_length, needle, needle_length);
}

#endif
