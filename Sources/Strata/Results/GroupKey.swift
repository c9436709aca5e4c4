internal import StrataSQLite

/// The cells that the rows of a group have in common, in which the spellings of a text are equal.
struct GroupKey: Sendable, Hashable, Comparable {
  let cells: [Cell]

  init(_ cells: some Sequence<Cell>) { self.cells = Array(cells) }

  static func == (a: GroupKey, b: GroupKey) -> Bool { a.order(to: b) == 0 }
  static func < (a: GroupKey, b: GroupKey) -> Bool { a.order(to: b) < 0 }

  private func order(to other: GroupKey) -> Int {
    for (mine, theirs) in zip(cells, other.cells) {
      let order = mine.canonicalOrder(to: theirs)
      if order != 0 { return order }
    }
    return 0
  }

  func hash(into hasher: inout Hasher) {
    for cell in cells {
      if case .text(let text) = cell { hasher.combine(text) } else { hasher.combine(cell) }
    }
  }
}

extension Cell {
  /// Returns a negative number, zero or a positive number as the cell comes before, is, or comes after
  /// another cell, with texts in Swift's order of strings.
  func canonicalOrder(to other: Cell) -> Int {
    guard case .text(let mine) = self, case .text(let theirs) = other else {
      return order(to: other)
    }
    return TextCollation.canonicalOrder(mine, theirs)
  }
}

/// The spellings that the rows of a group have in one column, of which the least is the group's name.
struct GroupSpelling: Sendable {
  /// The least spelling, in the order of bytes.
  private(set) var name: Cell
  /// The numbers of rows in other spellings; empty for most groups.
  private var others: [Cell: Int] = [:]

  /// Creates the spelling of a group that has no rows yet.
  init(_ cell: Cell) { name = cell }

  /// Adds a row to a group.
  ///
  /// - Parameter rows: the number of rows before.
  mutating func add(_ cell: Cell, to rows: Int) {
    if cell == name { return }
    if name < cell {
      others[cell, default: 0] += 1
    } else {
      let named = rows - others.values.reduce(0, +)
      if named > 0 { others[name] = named }
      name = cell
    }
  }

  /// Removes a row from a group.
  ///
  /// - Parameter rows: the number of rows before.
  mutating func remove(_ cell: Cell, from rows: Int) {
    if cell != name {
      let left = (others[cell] ?? 1) - 1
      others[cell] = left > 0 ? left : nil
    } else if rows - others.values.reduce(0, +) == 1, let next = others.keys.min() {
      name = next
      others[next] = nil
    }
  }
}
