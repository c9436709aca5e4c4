import Strata

// The random values of a history. Keys are few and values small, so that deleted rows come back and
// edits agree.

extension ContextHistory {
  func randomKey(_ table: PlainTable) -> Int { random.below(table == .books ? 5 : 3) }

  var randomLink: PlainLink { PlainLink(book: random.below(5), topic: random.below(3)) }

  func randomRow(_ table: PlainTable) -> PlainRow {
    switch table {
    case .shelves, .topics: [random.below(3)]
    case .books:
      [random.below(3), random.below(3), random.oneIn(4) ? random.below(4) : nil, randomShelf]
    case .pages: [random.below(5), random.below(3)]
    case .loans: [random.oneIn(2) ? random.below(5) : nil]
    }
  }

  private var randomShelf: Int? { random.oneIn(2) ? random.below(3) : nil }

  /// Returns a row with one or two new values.
  func changed(_ row: PlainRow, _ table: PlainTable) -> PlainRow {
    let other = randomRow(table)
    var row = row
    for _ in 0...random.below(2) {
      let index = random.below(row.count)
      row[index] = other[index]
    }
    return row
  }
}

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
