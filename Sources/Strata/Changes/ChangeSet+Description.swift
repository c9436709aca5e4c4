extension ChangeSet: CustomStringConvertible {
  /// The changes, record by record, for logs and failed tests.
  ///
  /// If an entity has many changes, only the first are listed.
  public var description: String {
    let parts = tables.keys.sorted().compactMap { id in tables[id]?.words(of: model[id]) }
    return "commit \(commit): " + (parts.isEmpty ? "nothing" : parts.joined(separator: "; "))
  }
}

extension Changes: CustomStringConvertible {
  /// The changes, record by record, for logs and failed tests.
  ///
  /// If there are many changes, only the first are listed.
  public var description: String { "commit \(commit): \(words ?? "nothing")" }
}

extension TableChanges {
  /// The maximum number of records that are listed one by one.
  private static let most = 8

  func words(of table: Table) -> String {
    guard case .rows(let rows) = self else { return "any \(table.entity) may have changed" }
    // A link's key only combines the two keys that it links.
    if table.isJoin { return "\(rows.count) of \(table.name)" }
    var words = rows.prefix(Self.most).map { "\(table.entity) \($0.key) \($0.change.words(table))" }
    if rows.count > Self.most { words.append("\(rows.count - Self.most) more of \(table.entity)") }
    return words.joined(separator: ", ")
  }
}

extension Change {
  fileprivate func words(_ table: Table) -> String {
    guard let before else { return "inserted" }
    guard let after else { return "deleted" }
    let names = after.differences(from: before).positions.map { table.columns[$0].name }
    return "changed (\(names.joined(separator: ", ")))"
  }
}
