public import Foundation

/// One commit of a store's history.
///
/// ```swift
/// for try await entry in stack.history(since: token) where entry.author != "sync" {
///   for song in entry.changes.changes(of: Song.self).inserted { try await push(song) }
/// }
/// ```
public struct HistoryEntry: Sendable {
  /// The token right after this commit; keep it once the entry is processed.
  public let token: HistoryToken
  /// The author of the commit, from ``ScratchContext/author``, ``ViewContext/author`` or
  /// ``StackOptions/author``.
  public let author: String
  /// The time of the commit, by the clock of the process that committed.
  public let date: Date
  /// The changes of the commit, with the values before and after.
  ///
  /// The changes of an entity are a reset if more of it changed than is listed, or if its table had
  /// other columns at the time of the commit.
  public let changes: ChangeSet
}
