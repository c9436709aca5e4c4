// The code of the article MovingCoreData.

import Foundation
import Strata

#if canImport(SQLite3)
  import SQLite3
#else
  import CStrataSQLite
#endif

/// A Core Data store as the SQLite file that it is. Nothing is written to it.
final class OldStore {
  private var database: OpaquePointer?
  private let folder: URL

  init(_ url: URL) throws {
    let name = url.deletingPathExtension().lastPathComponent
    folder = url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
    guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
      throw failure()
    }
  }

  deinit { sqlite3_close_v2(database) }

  func rows(_ sql: String) throws -> Rows {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    return Rows(self, statement)
  }

  fileprivate func failure() -> OldStoreError {
    OldStoreError(message: String(cString: sqlite3_errmsg(database)))
  }

  fileprivate func file(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appending(path: name))
  }
}

struct OldStoreError: Error { let message: String }

/// The rows of a statement, one at a time.
final class Rows {
  private let store: OldStore
  private let statement: OpaquePointer?

  fileprivate init(_ store: OldStore, _ statement: OpaquePointer?) {
    self.store = store
    self.statement = statement
  }

  deinit { sqlite3_finalize(statement) }

  func next() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw store.failure()
    }
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64? {
    isNull(column) ? nil : sqlite3_column_int64(statement, column)
  }

  func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(statement, column)
  }

  func text(_ column: Int32) -> String? {
    sqlite3_column_text(statement, column).map { String(cString: $0) }
  }

  func data(_ column: Int32) -> Data? {
    guard !isNull(column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: count) } ?? Data()
  }

  /// Dates are seconds since 2001, as in Strata.
  func date(_ column: Int32) -> Date? {
    real(column).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// UUIDs are sixteen bytes, as in Strata.
  func uuid(_ column: Int32) -> UUID? {
    guard let bytes = data(column), bytes.count == 16 else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// A value with external storage: the first byte says whether the rest is the value or its file's
  /// name.
  func external(_ column: Int32) throws -> Data? {
    guard let bytes = data(column), let first = bytes.first else { return nil }
    guard first == 2 else { return bytes.dropFirst() }
    return try store.file(String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
  }
}

extension UUID {
  /// The key of an old row: always the same one, and another one in another store.
  init(row: Int64, of store: UUID) {
    var bytes = store.uuid
    withUnsafeMutableBytes(of: &bytes) { bytes in
      withUnsafeBytes(of: row.bigEndian) { bytes[8...].copyBytes(from: $0) }
      bytes[8] |= 0x80
    }
    self.init(uuid: bytes)
  }
}
