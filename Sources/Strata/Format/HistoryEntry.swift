public import Foundation

/// One commit of a store's history.
public struct HistoryEntry: Sendable {
  /// The place right after this commit: keep it once the entry is dealt with.
  public let token: HistoryToken
  /// Who committed it: what ``ScratchContext/author``, ``ViewContext/author`` or
  /// ``Stack/Options/author`` said.
  public let author: String
  /// When it was committed, by the clock of the process that did.
  public let date: Date
  /// What it changed, with the values before and after.
  ///
  /// An entity whose changes are a reset changed more than is listed, or was laid out differently
  /// then.
  public let changes: ChangeSet
}
