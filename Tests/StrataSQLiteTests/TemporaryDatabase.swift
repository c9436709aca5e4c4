internal import Foundation
internal import StrataSQLite

/// A folder for one test's database. `deinit` removes the folder.
final class TemporaryDatabase {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-sqlite-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.path + "/test.sqlite" }

  func open(
    _ access: Connection.Access = .readWrite, synchronous: Connection.Synchronous = .normal,
    busyTimeout: Duration = .seconds(5)
  ) throws(SQLiteError) -> Connection {
    try Connection(
      path: path, access: access, synchronous: synchronous, busyTimeout: busyTimeout)
  }

  func exists(_ suffix: String) -> Bool {
    FileManager.default.fileExists(atPath: path + suffix)
  }
}

/// Returns the error that `body` throws, if it is an error of SQLite.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
  do { try body() } catch { return error as? SQLiteError }
  return nil
}
