internal import Foundation
internal import StrataSQLite

@testable import Strata

/// Calls `body` with a connection to a new, empty database, which is removed afterwards.
func withScratchConnection<R>(_ body: (Connection) throws -> R) throws -> R {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let connection = try Connection(
    path: folder.path + "/scratch.sqlite", access: .readWrite, busyTimeout: .seconds(5))
  return try body(connection)
}
