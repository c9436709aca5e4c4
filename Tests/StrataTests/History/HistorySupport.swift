import Foundation
import Testing

@testable import Strata
@testable import StrataSQLite

/// A store in a folder of its own, which several stacks can open.
final class SharedStore: Sendable {
  private let folder: TemporaryFolder
  var url: URL { URL(fileURLWithPath: path) }
  var path: String { folder.path + "/store.sqlite" }

  init() throws { folder = try TemporaryFolder() }

  deinit { folder.remove() }

  /// Opens the store for boats and harbours.
  func open(
    _ history: HistoryOptions? = nil, author: String = "test",
    _ configure: (inout Stack.Options) -> Void = { _ in }
  ) async throws -> Stack {
    var options = Stack.Options()
    options.history = history
    options.author = author
    configure(&options)
    return try await Stack.open(Boat.self, Harbour.self, at: url, options: options)
  }
}

extension HistoryOptions {
  /// A history whose limit no test reaches.
  static let long = HistoryOptions.keep(bytes: 1 << 30)
}

extension Stack {
  /// Returns the whole history since a token.
  nonisolated(nonsending) func entries(
    since token: HistoryToken? = nil
  ) async throws -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    for try await entry in history(since: token) { entries.append(entry) }
    return entries
  }

  /// Returns the numbers of all commits in the history since a token.
  nonisolated(nonsending) func commits(since token: HistoryToken? = nil) async throws -> [Int64] {
    try await entries(since: token).map(\.token.commit)
  }
}
