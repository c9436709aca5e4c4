public import Foundation

/// A position in a store's history, right after one commit.
///
/// A token stays valid across launches and in other processes. Encode it, keep it anywhere, and
/// read the commits since then with ``Stack/history(since:)``. Tokens of one store are ordered like
/// its commits. The order of tokens of different stores means nothing.
///
/// ```swift
/// let saved = try JSONEncoder().encode(stack.historyToken)
/// let token = try JSONDecoder().decode(HistoryToken.self, from: saved)
/// ```
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The number of the commit.
  public let commit: Int64
  /// The identity of the commit's store; a copy of the file has the same identity.
  public let store: UUID
}

extension HistoryToken: Comparable {
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    if left.commit != right.commit { return left.commit < right.commit }
    return left.store != right.store && left.store.uuidString < right.store.uuidString
  }
}
