import Foundation
import Strata
import StrataSQLite

/// The contents and the violations of a closed store's files.
@MainActor
struct StoreInspection {
  /// The rows of the store; nil if the store cannot be read.
  var contents: StoreContents?
  var ledger: Ledger? { contents?.ledger }
  var token: HistoryToken?
  var isMigrated = false
  var violations: [String] = []

  /// Opens the store as the next start of the program would.
  ///
  /// - Parameters:
  ///   - start: the contents at `since`. The history from there must lead to the contents of the
  ///     store.
  init(_ store: URL, start: StoreContents? = nil, token since: HistoryToken? = nil) async {
    do {
      let found = try await Self.open(store)
      let stack = found.stack
      token = stack.historyToken
      isMigrated = found.isMigrated
      let stored =
        found.isMigrated ? try await StoreContents.migrated(stack) : try await .stored(stack)
      contents = stored
      let balances = stored.ledger.balances
      if balances.values.reduce(0, +) != balances.count * 1000 {
        violations.append("money was made or lost")
      }
      if let start, let token = since, !found.isMigrated {
        violations += try await Self.historyViolations(stack, start, token, stored)
      }
      await stack.close()
    } catch {
      violations.append("the store cannot be read: \(error)")
    }
    // This check comes last, because the first connection to a store recovers its log.
    violations += Self.damage(store)
  }

  /// Returns the violations of a history that must lead from one state to another.
  ///
  /// - Parameter author: the prefix of the author of every commit.
  static func historyViolations(
    _ stack: Stack, _ start: StoreContents, _ token: HistoryToken, _ stored: StoreContents,
    author: String = ""
  ) async throws -> [String] {
    var violations: [String] = []
    var contents = start
    var expected = token.commit
    for try await entry in stack.history(since: token) {
      expected += 1
      if entry.token.commit != expected || !entry.author.hasPrefix(author) {
        violations.append("the history has \(entry.token.commit) for \(expected)")
      }
      switch contents.apply(entry.changes) {
      case .exact: break
      case .reset: violations.append("\(expected) is a reset")
      case .wrong: violations.append("\(expected) begins with something else in the history")
      }
    }
    let commit = stack.historyToken.commit
    if expected != commit { violations.append("the history ends at \(expected), not \(commit)") }
    if contents != stored { violations.append("the history does not make the state") }
    return violations
  }

  /// Opens the store with the current schemas or, after a migration, with the schemas of the next
  /// version.
  private static func open(_ store: URL) async throws -> (stack: Stack, isMigrated: Bool) {
    do {
      return (try await Stack.open(ChildProcess.entities, at: store), false)
    } catch StoreError.Code.newerStore {
      var options = Stack.Options()
      options.schemaVersion = Next.version
      return (try await Stack.open(Next.entities, at: store, options: options), true)
    }
  }

  private static func damage(_ store: URL) -> [String] {
    do {
      return try Connection(path: store.path, access: .existing, busyTimeout: .seconds(5)).damage()
    } catch {
      return ["the file cannot be checked: \(error)"]
    }
  }

  /// Copies the files that a kill would leave behind at this moment.
  ///
  /// SQLite makes the index of the log anew.
  static func copyFiles(of store: URL, to folder: URL) throws -> URL {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = folder.appendingPathComponent("store.sqlite")
    // The log comes last. It still contains pages that a checkpoint writes back meanwhile.
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
    }
    return copy
  }
}
