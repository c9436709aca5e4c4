import Strata

// The random values of histories. Keys are few and values small, so that deleted rows come back and
// edits agree.

extension SplitMix64 {
  mutating func key(of table: PlainTable) -> Int { below(table == .books ? 5 : 3) }

  mutating func link() -> PlainLink { PlainLink(book: below(5), topic: below(3)) }

  mutating func row(of table: PlainTable) -> PlainRow {
    switch table {
    case .shelves, .topics: [below(3)]
    case .books: [below(3), below(3), oneIn(4) ? below(4) : nil, shelf()]
    case .pages: [below(5), below(3)]
    case .loans: [oneIn(2) ? below(5) : nil]
    }
  }

  private mutating func shelf() -> Int? { oneIn(2) ? below(3) : nil }

  /// Returns a row with one or two new values.
  mutating func changed(_ row: PlainRow, of table: PlainTable) -> PlainRow {
    let other = self.row(of: table)
    var row = row
    for _ in 0...below(2) {
      let index = below(row.count)
      row[index] = other[index]
    }
    return row
  }
}

extension PlainLink {
  /// Links the book and the topic, or unlinks them, from one of their ends.
  @MainActor
  func set(_ isThere: Bool, in view: ViewContext, fromBook: Bool) {
    switch (isThere, fromBook) {
    case (true, true): view.link(book, to: topic, in: Book.topics)
    case (true, false): view.link(topic, to: book, in: Topic.books)
    case (false, true): view.unlink(book, from: topic, in: Book.topics)
    case (false, false): view.unlink(topic, from: book, in: Topic.books)
    }
  }

  /// Links the book and the topic, or unlinks them, from one of their ends.
  func set(_ isThere: Bool, in scratch: ScratchContext, fromBook: Bool) {
    switch (isThere, fromBook) {
    case (true, true): scratch.link(book, to: topic, in: Book.topics)
    case (true, false): scratch.link(topic, to: book, in: Topic.books)
    case (false, true): scratch.unlink(book, from: topic, in: Book.topics)
    case (false, false): scratch.unlink(topic, from: book, in: Topic.books)
    }
  }
}
