import Strata

/// A generated condition on a book, which is a filter and also holds for plain rows.
indirect enum PlainCondition: Sendable {
  /// An attribute of a book, by its index in a row.
  enum Attribute: Int, CaseIterable {
    case first, second, slot, shelf
  }

  enum Comparison: CaseIterable {
    case equal, different, less, atMost, greater, atLeast
  }

  case number(Attribute, Comparison, Int?)
  /// An attribute compared with `first`.
  case first(Attribute, Comparison)
  case isAmong(Attribute, [Int])
  /// The height of the book's shelf.
  case height(Comparison, Int)
  /// The count of the book's topics.
  case topics(Comparison, Int)
  /// Whether a page of the book has a number.
  case page(Int)
  case and(Self, Self)
  case or(Self, Self)
  case not(Self)

  /// Whether the condition is about other rows as well.
  var isRelated: Bool {
    switch self {
    case .number, .first, .isAmong: false
    case .height, .topics, .page: true
    case .and(let left, let right), .or(let left, let right): left.isRelated || right.isRelated
    case .not(let condition): condition.isRelated
    }
  }

  func filter(_ book: Fields<Book, Book>) -> Filter<Book> {
    switch self {
    case .number(let attribute, let comparison, let number):
      switch attribute {
      case .first: comparison.filter(book.first, number ?? 0)
      case .second: comparison.filter(book.second, number ?? 0)
      case .slot: comparison.filter(book.slot, number)
      case .shelf: comparison.filter(book.shelfID, number)
      }
    case .first(let attribute, let comparison):
      switch attribute {
      case .first: comparison.filter(book.first, book.first)
      case .second: comparison.filter(book.second, book.first)
      case .slot: comparison.filter(book.slot, book.first)
      case .shelf: comparison.filter(book.shelfID, book.first)
      }
    case .isAmong(let attribute, let numbers):
      switch attribute {
      case .first: book.first.isIn(numbers)
      case .second: book.second.isIn(numbers)
      case .slot: book.slot.isIn(numbers.map(Optional.some))
      case .shelf: book.shelfID.isIn(numbers.map(Optional.some))
      }
    case .height(let comparison, let number): comparison.filter(book.shelf.height, number)
    case .topics(let comparison, let count): comparison.filter(book.topics.count, count)
    case .page(let number): book.pages.any { $0.number == number }
    case .and(let left, let right): left.filter(book) && right.filter(book)
    case .or(let left, let right): left.filter(book) || right.filter(book)
    case .not(let condition): !condition.filter(book)
    }
  }

  func holds(for book: ScreenContents.Element, in rows: PlainRows) -> Bool {
    switch self {
    case .number(let attribute, let comparison, let number):
      comparison.holds(book.row[attribute.rawValue], number)
    case .first(let attribute, let comparison):
      comparison.holds(book.row[attribute.rawValue], book.first)
    case .isAmong(let attribute, let numbers):
      book.row[attribute.rawValue].map(numbers.contains) ?? false
    case .height(let comparison, let number):
      comparison.holds(book.row[3].flatMap { rows[.shelves, $0]?[0] }, number)
    case .topics(let comparison, let count):
      comparison.holds(rows.links.count { $0.book == book.key }, count)
    case .page(let number):
      rows.rows(.pages).values.contains { $0 == [book.key, number] }
    case .and(let left, let right):
      left.holds(for: book, in: rows) && right.holds(for: book, in: rows)
    case .or(let left, let right):
      left.holds(for: book, in: rows) || right.holds(for: book, in: rows)
    case .not(let condition): !condition.holds(for: book, in: rows)
    }
  }
}

extension PlainCondition.Comparison {
  fileprivate func filter<V: ComparableValue>(
    _ left: QueryExpression<Book, V>, _ right: V
  ) -> Filter<Book> {
    switch self {
    case .equal: left == right
    case .different: left != right
    case .less: left < right
    case .atMost: left <= right
    case .greater: left > right
    case .atLeast: left >= right
    }
  }

  fileprivate func filter<V: ComparableValue>(
    _ left: QueryExpression<Book, V>, _ right: QueryExpression<Book, Int>
  ) -> Filter<Book> where V.Unwrapped == Int {
    switch self {
    case .equal: left == right
    case .different: left != right
    case .less: left < right
    case .atMost: left <= right
    case .greater: left > right
    case .atLeast: left >= right
    }
  }

  /// Nil equals nil only, and is neither less nor greater.
  fileprivate func holds(_ left: Int?, _ right: Int?) -> Bool {
    guard let left, let right else {
      let areEqual = left == nil && right == nil
      return self == .equal ? areEqual : self == .different && !areEqual
    }
    return switch self {
    case .equal: left == right
    case .different: left != right
    case .less: left < right
    case .atMost: left <= right
    case .greater: left > right
    case .atLeast: left >= right
    }
  }
}

extension SplitMix64 {
  /// Returns a random condition.
  ///
  /// - Parameter isRelated: whether the condition may be about other rows as well.
  mutating func condition(isRelated: Bool) -> PlainCondition {
    condition(depth: below(4), isRelated)
  }

  private mutating func condition(depth: Int, _ isRelated: Bool) -> PlainCondition {
    if depth == 0 || oneIn(4) { return leaf(isRelated) }
    let condition = condition(depth: depth - 1, isRelated)
    switch below(5) {
    case 0, 1: return .and(condition, self.condition(depth: depth - 1, isRelated))
    case 2, 3: return .or(condition, self.condition(depth: depth - 1, isRelated))
    default: return .not(condition)
    }
  }

  private mutating func leaf(_ isRelated: Bool) -> PlainCondition {
    let attribute = pick(PlainCondition.Attribute.allCases)
    let comparison = pick(PlainCondition.Comparison.allCases)
    switch below(isRelated ? 8 : 5) {
    case 0..<3:
      let mayBeNil = attribute == .slot || attribute == .shelf
      return .number(attribute, comparison, mayBeNil && oneIn(4) ? nil : below(3))
    case 3: return .first(attribute, comparison)
    case 4: return .isAmong(attribute, (0..<below(3)).map { _ in below(4) })
    case 5: return .height(comparison, below(3))
    case 6: return .topics(comparison, below(3))
    default: return .page(below(3))
    }
  }
}
