internal import Foundation
internal import StrataSQLite

@testable import Strata

/// Lends a connection to a new, empty database that is removed afterwards.
func withScratchConnection<R>(_ body: (Connection) throws -> R) throws -> R {
  let folder = try TemporaryFolder()
  defer { folder.remove() }
  let connection = try Connection(
    path: folder.path + "/scratch.sqlite", access: .readWrite, busyTimeout: .seconds(5))
  return try body(connection)
}
