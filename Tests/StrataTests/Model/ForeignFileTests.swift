internal import Foundation
internal import StrataSQLite
import StrataTestTurns
import Testing

@testable import Strata

private struct Song: Entity {
  var id: Int64 = 0
  static let schema = Schema<Song>("songs", key: \.id) {}
}

/// Files of other programs, which a refused opening must leave as they are.
///
/// The write-ahead-log mode is written into the file. So the opening must recognise the file before
/// it sets the mode.
@Suite(.inTurn) struct ForeignFileTests {
  @Test func `another program's database keeps its journal mode, and every byte`() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let url = URL(fileURLWithPath: folder.path + "/other.sqlite")
    do {
      let connection = try Connection(
        path: url.path, access: .readWrite, busyTimeout: .seconds(1))
      try connection.execute("PRAGMA journal_mode = DELETE")
      try connection.execute("CREATE TABLE others (n)")
    }
    let bytes = try Data(contentsOf: url)
    let error = await #expect(throws: StoreError.self) {
      _ = try await Stack.open(Song.self, at: url)
    }
    #expect(error?.code == .notADatabase)
    #expect(try Data(contentsOf: url) == bytes)
  }
}
