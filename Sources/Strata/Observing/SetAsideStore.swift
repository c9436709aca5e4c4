public import Foundation

/// A store that could not be read and had to make room for a new one.
public struct SetAsideStore: Sendable {
  /// Where the file is now, its log beside it; nil if it was deleted.
  public let url: URL?
  /// Why it could not be read.
  public let error: StoreError
  /// When it was set aside.
  public let date: Date
}
