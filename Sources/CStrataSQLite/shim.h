#ifndef STRATA_SQLITE_SHIM_H
#define STRATA_SQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "sqlite3.h is missing. On Debian and Ubuntu: apt-get install -y libsqlite3-dev zlib1g-dev"
#endif
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <fcntl.h>
#include <sys/syscall.h>
#endif

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

static inline void strata_result_text(sqlite3_context *context, const void *bytes,
                                      sqlite3_uint64 count) {
  sqlite3_result_text64(context, bytes ? (const char *)bytes : "", count, SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

static inline void strata_result_blob(sqlite3_context *context, const void *bytes,
                                      sqlite3_uint64 count) {
  sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
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

// Reads the database file itself, past the log. Bytes behind the end of the file are 0.
static inline int strata_read_file(sqlite3 *connection, void *bytes, int count,
                                   sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  code = file->pMethods->xRead(file, bytes, count, offset);
  return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
}

// Writes the database file itself, past the log.
static inline int strata_write_file(sqlite3 *connection, const void *bytes, int count,
                                    sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  return file->pMethods->xWrite(file, bytes, count, offset);
}

// Gives a file a name that no file has; fails with EEXIST otherwise. A file system that cannot do that
// in one step gets a second name for the file, or at least a look before the step.
static inline int strata_rename_new(const char *path, const char *name) {
#if defined(__APPLE__)
  if (renamex_np(path, name, RENAME_EXCL) == 0) return 0;
  if (errno != ENOTSUP && errno != EINVAL) return -1;
#elif defined(__linux__) && defined(SYS_renameat2)
  if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, name, 1) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
  if (link(path, name) == 0) return unlink(path);
  if (errno == EEXIST) return -1;
  struct stat status;
  if (lstat(name, &status) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(path, name);
}

// Whether the connection, if it is the last, leaves the log when it closes.
static inline void strata_leave_log(sqlite3 *connection, int leaves) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, (int *)0);
}

static inline int strata_has_moved(sqlite3 *connection) {
  int moved = 0;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved;
}

// The time at which a file was made, in nanoseconds; 0 if the file system does not keep it. Removed
// files leave their inode numbers to new files, so the number alone tells no file from a later one.
static inline int64_t strata_birth(const char *path) {
#if defined(__APPLE__)
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  return (int64_t)status.st_birthtimespec.tv_sec * 1000000000 + status.st_birthtimespec.tv_nsec;
#elif defined(__linux__) && defined(SYS_statx)
  // struct statx is a GNU extension, too: the mask comes first, and the time of birth at 80.
  unsigned char status[256] = {0};
  uint32_t mask = 0, nanoseconds = 0;
  int64_t seconds = 0;
  if (syscall(SYS_statx, AT_FDCWD, path, 0, 0x800, status) != 0) return 0;
  memcpy(&mask, status, sizeof mask);
  memcpy(&seconds, status + 80, sizeof seconds);
  memcpy(&nanoseconds, status + 88, sizeof nanoseconds);
  return mask & 0x800 ? seconds * 1000000000 + nanoseconds : 0;
#else
  (void)path;
  return 0;
#endif
}

// memmem is a GNU extension that the Glibc module hides from Swift.
void *memmem(const void *haystack, size_t haystack_length, const void *needle,
             size_t needle_length);

static inline const void *strata_find(const void *haystack, size_t haystack_length,
                                      const void *needle, size_t needle_length) {
  return memmem(haystack, haystack_length, needle, needle_length);
}

// The table-valued function strata_list(blob): the values that ValueList.swift packed into the blob.
// A virtual table's state begins with SQLite's own, which only C lays out by definition.

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_value *list;
  const uint8_t *bytes;
  int64_t count;
  // Where the row's value begins, where the next one does, and the row's number.
  int64_t position, next, row;
} strata_list_cursor;

static inline int strata_list_connect(sqlite3 *connection, void *context, int count,
                                      const char *const *arguments, sqlite3_vtab **table,
                                      char **message) {
  (void)context, (void)count, (void)arguments, (void)message;
  int code = sqlite3_declare_vtab(connection, "CREATE TABLE list(value, packed HIDDEN)");
  if (code != SQLITE_OK) return code;
  *table = (sqlite3_vtab *)sqlite3_malloc(sizeof(sqlite3_vtab));
  if (!*table) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(sqlite3_vtab));
  return sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
}

static inline int strata_list_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static inline int strata_list_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != 1) continue;
    if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 1000;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

static inline int strata_list_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  strata_list_cursor *list = (strata_list_cursor *)sqlite3_malloc(sizeof(*list));
  if (!list) return SQLITE_NOMEM;
  memset(list, 0, sizeof(*list));
  *cursor = &list->base;
  return SQLITE_OK;
}

static inline int strata_list_close(sqlite3_vtab_cursor *cursor) {
  strata_list_cursor *list = (strata_list_cursor *)cursor;
  sqlite3_value_free(list->list);
  sqlite3_free(list);
  return SQLITE_OK;
}

// Finds where the value at `next` ends; a list that is cut off ends before it.
static inline int strata_list_next(sqlite3_vtab_cursor *cursor) {
  strata_list_cursor *list = (strata_list_cursor *)cursor;
  list->position = list->next;
  list->row++;
  int64_t left = list->count - list->position;
  if (left <= 0) return SQLITE_OK;
  int64_t size = 9;
  if (list->bytes[list->position] >= 3) {
    uint32_t length = 0;
    if (left >= 5) memcpy(&length, list->bytes + list->position + 1, 4);
    size = 5 + (int64_t)length;
  }
  if (size > left) list->position = list->count;
  list->next = list->position + size;
  return SQLITE_OK;
}

static inline int strata_list_filter(sqlite3_vtab_cursor *cursor, int number, const char *name,
                                     int count, sqlite3_value **arguments) {
  (void)number, (void)name;
  strata_list_cursor *list = (strata_list_cursor *)cursor;
  sqlite3_value_free(list->list);
  list->bytes = 0;
  list->count = list->next = list->row = 0;
  list->list = count > 0 ? sqlite3_value_dup(arguments[0]) : 0;
  // A copy that could not be made is no empty list.
  if (count > 0 && !list->list) return SQLITE_NOMEM;
  list->bytes = (const uint8_t *)sqlite3_value_blob(list->list);
  list->count = sqlite3_value_bytes(list->list);
  if (list->count > 0 && !list->bytes) return SQLITE_NOMEM;
  return strata_list_next(cursor);
}

static inline int strata_list_eof(sqlite3_vtab_cursor *cursor) {
  strata_list_cursor *list = (strata_list_cursor *)cursor;
  return list->position >= list->count;
}

static inline int strata_list_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
                                     int column) {
  strata_list_cursor *list = (strata_list_cursor *)cursor;
  const uint8_t *value = list->bytes + list->position;
  if (column == 1) {
    sqlite3_result_value(context, list->list);
  } else if (value[0] == 1) {
    int64_t integer;
    memcpy(&integer, value + 1, 8);
    sqlite3_result_int64(context, integer);
  } else if (value[0] == 2) {
    double real;
    memcpy(&real, value + 1, 8);
    sqlite3_result_double(context, real);
  } else {
    uint32_t length;
    memcpy(&length, value + 1, 4);
    if (value[0] == 3) strata_result_text(context, value + 5, length);
    else sqlite3_result_blob64(context, value + 5, length, SQLITE_TRANSIENT);
  }
  return SQLITE_OK;
}

static inline int strata_list_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row) {
  *row = ((strata_list_cursor *)cursor)->row;
  return SQLITE_OK;
}

static inline int strata_register_list(sqlite3 *connection) {
  static const sqlite3_module module = {
      .iVersion = 0,
      .xConnect = strata_list_connect,
      .xBestIndex = strata_list_best_index,
      .xDisconnect = strata_list_disconnect,
      .xOpen = strata_list_open,
      .xClose = strata_list_close,
      .xFilter = strata_list_filter,
      .xNext = strata_list_next,
      .xEof = strata_list_eof,
      .xColumn = strata_list_column,
      .xRowid = strata_list_rowid,
  };
  return sqlite3_create_module_v2(connection, "strata_list", &module, 0, 0);
}

#endif
