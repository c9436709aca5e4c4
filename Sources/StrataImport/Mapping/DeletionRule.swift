/// The rule for records that delete their row.
enum DeletionRule {
  case always
  case when(slot: Int, TombstoneSign)

  /// Whether a record deletes its row.
  func deletes(_ scanned: ScannedRecord) -> Bool {
    switch self {
    case .always: true
    case .when(let slot, let sign):
      switch (sign, scanned.cells[slot]) {
      case (_, .missing), (_, .null): false
      case (.isThere, _): true
      case (.isTrue, let cell): cell == .integer(1)
      case (.isText(let text), .text(let bytes)): scanned.string(bytes) == text
      case (.isText, _): false
      }
    }
  }
}
