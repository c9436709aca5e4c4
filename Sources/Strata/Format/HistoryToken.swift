public import Foundation

/// A place in a store's history: right after one commit.
///
/// Good across launches and between processes: encode it, keep it wherever you like, and ask for
/// what was committed since with ``Stack/history(since:)``. The order is that of the commits; it
/// means nothing between tokens of different stores.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The number of the commit.
  public let commit: Int64
  /// The store that the commit is of. A copy of the file is the same store.
  public let store: UUID
}

extension HistoryToken: Comparable {
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    if left.commit != right.commit { return left.commit < right.commit }
    return left.store != right.store && left.store.uuidString < right.store.uuidString
  }
}
