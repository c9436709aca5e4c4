internal import Foundation
internal import StrataSQLite
import StrataTestTurns
import Testing

#if canImport(Glibc)
  internal import Glibc
#endif

/// Tests the results of opening a path without a usable database.
@Suite(.inTurn) struct ConnectionOpeningTests {
  private let database: TemporaryDatabase

  init() throws { database = try TemporaryDatabase() }

  private func error(
    opening path: String, _ access: Connection.Access = .readWrite
  ) -> SQLiteError? {
    sqliteError { _ = try Connection(path: path, access: access, busyTimeout: .zero) }
  }

  @Test(arguments: [Connection.Access.readWrite, .readOnly])
  func `a file that is no database`(access: Connection.Access) throws {
    let text = String(repeating: "This is a letter to the editor. ", count: 100)
    try Data(text.utf8).write(to: URL(fileURLWithPath: database.path))
    let error = sqliteError { _ = try database.open(access).integer("SELECT count(*) FROM x") }
    #expect(error?.isNotADatabase == true)
    #expect(try String(contentsOfFile: database.path, encoding: .utf8) == text)
  }

  #if canImport(Glibc)
    // If `init` fails, it closes the handle. `deinit` must not close the handle again, because its
    // memory may belong to another connection by then.
    @Test func `a connection that cannot be set up is closed once`() async throws {
      try Data(repeating: 65, count: 4096).write(to: URL(fileURLWithPath: database.path))
      await #expect(processExitsWith: .success) { [path = database.path as String] in
        // SQLite logs misuse (`SQLITE_MISUSE`) to the function that `SQLITE_CONFIG_LOG` sets. Swift
        // does not import functions with variable arguments, so the test looks up `sqlite3_config`
        // by its name.
        typealias Log = @convention(c) (OpaquePointer?, Int32, UnsafePointer<CChar>?) -> Void
        typealias Configure = @convention(c) (Int32, Log, UnsafeMutableRawPointer?) -> Int32
        let configure = unsafeBitCast(
          try #require(dlsym(nil, "sqlite3_config")), to: Configure.self)
        #expect(configure(16, { _, code, _ in if code & 0xFF == 21 { exit(2) } }, nil) == 0)
        for _ in 0..<20 {
          let error = sqliteError {
            _ = try Connection(path: path, access: .readWrite, busyTimeout: .zero)
          }
          #expect(error?.isNotADatabase == true)
        }
      }
    }
  #endif

  @Test func `an empty file is an empty database`() throws {
    try Data().write(to: URL(fileURLWithPath: database.path))
    #expect(try database.open().integer("SELECT count(*) FROM sqlite_schema") == 0)
  }

  @Test func `a folder in place of the file is an error`() {
    #expect(error(opening: database.folder.path)?.cannotOpen == true)
  }

  @Test func `a path below a file`() throws {
    try Data().write(to: URL(fileURLWithPath: database.path))
    #expect(error(opening: database.path + "/store.sqlite")?.cannotOpen == true)
  }

  @Test func `a folder that does not exist`() {
    #expect(error(opening: database.folder.path + "/nowhere/store.sqlite")?.cannotOpen == true)
  }

  @Test func `a read-only connection creates no file`() {
    #expect(error(opening: database.path, .readOnly)?.cannotOpen == true)
    #expect(!database.exists(""))
  }

  @Test func `a damaged database`() throws {
    do {
      let connection = try database.open()
      try connection.execute("CREATE TABLE numbers (n)")
      try connection.execute("INSERT INTO numbers VALUES (1)")
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: database.path))
    for index in 100..<bytes.count { bytes[index] = 0xAA }
    try bytes.write(to: URL(fileURLWithPath: database.path))
    let error = sqliteError { _ = try database.open().integer("SELECT n FROM numbers") }
    #expect(error?.isCorrupt == true)
  }
}
