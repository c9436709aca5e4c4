public import Foundation

/// An unreadable store that had to make room for a new one.
///
/// ```swift
/// if let old = stack.setAside { print(old.date, old.url?.path ?? "removed", old.error) }
/// ```
public struct SetAsideStore: Sendable {
  /// The URL of the moved file, with its log beside it; nil if the file was deleted.
  public let url: URL?
  /// The reason why the store could not be read.
  public let error: StoreError
  /// The time at which the store was set aside.
  public let date: Date
}
