internal import Strata

/// The rule for records that delete their row.
enum DeletionRule {
  case always
  case when(slot: Int, TombstoneSign)

  /// Whether a record deletes its row.
  func deletes(
    _ scanned: ScannedRecord, _ columns: [JSONColumn]
  ) throws(EntityMapper.Refusal) -> Bool {
    guard case .when(let slot, let sign) = self else { return true }
    switch (sign, scanned.cells[slot]) {
    case (_, .missing), (_, .null): return false
    case (.isThere, _): return true
    case (.isTrue, .text(let bytes)):
      switch scanned.string(bytes) {
      case "true", "1": return true
      case "false", "0": return false
      case let text:
        throw EntityMapper.Refusal(
          path: columns[slot].path,
          error: ValueError("expected true, false, 0 or 1, found \(text.prefix(80))"))
      }
    case (.isText(let text), .text(let bytes)): return scanned.string(bytes) == text
    case (.isTrue, _), (.isText, _): return false
    }
  }
}
