// Prints the symbols that the sources of a package use, from the index that a debug build writes.
//
// usage: index-references INDEX-STORE
//
// One line for each use: file, line, symbol (its USR) and roles, separated by tabs.

#include <indexstore/indexstore.h>
#include <stdio.h>
#include <string.h>

static indexstore_t store;
static char file[4096];

static bool print_use(void *context, indexstore_occurrence_t use) {
  unsigned line, column;
  indexstore_occurrence_get_line_col(use, &line, &column);
  indexstore_string_ref_t usr = indexstore_symbol_get_usr(indexstore_occurrence_get_symbol(use));
  unsigned long long roles = indexstore_occurrence_get_roles(use);
  printf("%s\t%u\t%.*s\t%llu\n", file, line, (int)usr.length, usr.data, roles);
  return true;
}

static bool read_record(void *context, indexstore_unit_dependency_t dependency) {
  if (indexstore_unit_dependency_get_kind(dependency) != INDEXSTORE_UNIT_DEPENDENCY_RECORD) return true;
  indexstore_string_ref_t path = indexstore_unit_dependency_get_filepath(dependency);
  snprintf(file, sizeof file, "%.*s", (int)path.length, path.data);
  if (strstr(file, "/Sources/") == NULL) return true;
  indexstore_string_ref_t text = indexstore_unit_dependency_get_name(dependency);
  char name[1024];
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  indexstore_error_t error = NULL;
  indexstore_record_reader_t record = indexstore_record_reader_create(store, name, &error);
  if (record == NULL) return true;
  indexstore_record_reader_occurrences_apply_f(record, NULL, print_use);
  indexstore_record_reader_dispose(record);
  return true;
}

static bool read_unit(void *context, indexstore_string_ref_t text) {
  char name[1024];
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  indexstore_error_t error = NULL;
  indexstore_unit_reader_t unit = indexstore_unit_reader_create(store, name, &error);
  if (unit == NULL) return true;
  indexstore_unit_reader_dependencies_apply_f(unit, NULL, read_record);
  indexstore_unit_reader_dispose(unit);
  return true;
}

int main(int count, char **arguments) {
  indexstore_error_t error = NULL;
  store = count == 2 ? indexstore_store_create(arguments[1], &error) : NULL;
  if (store == NULL) {
    fputs("usage: index-references INDEX-STORE\n", stderr);
    return 1;
  }
  indexstore_store_units_apply_f(store, 0, NULL, read_unit);
  return 0;
}
