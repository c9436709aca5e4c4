/// The groups of a result, none of which may be equal to another.
///
/// The store joins the spellings of a text. Only the type of a value knows whether other stored values
/// are equal, such as the decimals "1.1" and "1.10".
struct KnownGroups {
  private let identities: [GroupIdentity]
  private var known: Set<[AnyHashable]> = []

  init(_ identities: [GroupIdentity]) { self.identities = identities }

  /// Adds a group with the given cells.
  ///
  /// - Throws: ``StoreError`` with code `invalidValue` if an equal group was added before.
  mutating func add(
    _ cells: [Cell], _ paths: [SendablePath], _ table: Table
  ) throws(StoreError) {
    guard let position = identities.firstIndex(where: { !$0.isStored }) else { return }
    let group = zip(identities, cells).map { $0.value(of: $1) }
    if known.insert(group).inserted { return }
    let column = try table.column(of: paths[position])
    throw table.error(.equalGroups(cells[position], column: column), key: nil)
  }
}

/// The equality of the values of one type, given by their cells.
struct GroupIdentity: Sendable {
  private let hashable: (@Sendable (Cell) -> AnyHashable)?

  init<Value: AttributeValue>(_: Value.Type) {
    if ValueKind(Value.self) != .other {
      hashable = nil
      return
    }
    hashable = { cell in
      guard let value = try? Value.Unwrapped(cell: cell) else { return AnyHashable(cell) }
      if let value = value as? any Hashable { return AnyHashable(value) }
      return AnyHashable((try? value.cell) ?? cell)
    }
  }

  /// Whether values are equal if the store says so.
  var isStored: Bool { hashable == nil }

  /// Returns a value that is equal for the cells of equal values.
  func value(of cell: Cell) -> AnyHashable {
    if case .null = cell { return AnyHashable(cell) }
    return hashable?(cell) ?? AnyHashable(GroupKey([cell]))
  }
}

extension CodingFailure {
  /// Returns the failure of two groups that are equal and stored differently.
  static func equalGroups(_ cell: Cell, column: Int) -> CodingFailure {
    CodingFailure(column: column, error: ValueError("one of them is \(cell)"), .equalGroups)
  }
}
