/// The rows that the view context showed for some keys of a table before an edit, and that it shows after it.
struct ShownEdits {
  private(set) var keys: [RecordKey] = []
  private(set) var rows: [(before: Record?, after: Record?)] = []
  /// Whether a row is not known, so that every result of the table may be concerned.
  private(set) var hasUnknown = false

  /// Adds a key.
  ///
  /// - Parameter before: nil if it is not known which row was shown before.
  mutating func add(_ key: RecordKey, before: RecordState?, after: RecordState) {
    keys.append(key)
    rows.append((before?.record, after.record))
    if before == nil { hasUnknown = true }
  }
}
