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

// Locks the file itself, as SQLite does before it rolls a journal back: fails with SQLITE_BUSY if any
// other connection has read it and is still open, of this process or another. Reads nothing, so
// the file may be no database. Closing the connection unlocks.
static inline int strata_lock_file(sqlite3 *connection) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  code = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
  if (code == SQLITE_OK) code = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
  if (code != SQLITE_OK) file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
  return code;
}

static inline int strata_has_moved(sqlite3 *connection) {
  int moved = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved;
}

// memmem is a GNU extension that the Glibc module hides from Swift.
void *memmem(const void *haystack, size_t haystack_length, const void *needle,
             size_t needle_length);

static inline const void *strata_find(const void *haystack, size_t haystack_length,
                                      const void *needle, size_t needle_length) {
  return memmem(haystack, haystack_length, needle, needle_length);
}

#endif
