import Foundation
import Strata

/// A generated query of books, and what it finds among plain rows.
struct PlainQuery: Sendable {
  struct Sort: Sendable {
    let attribute: PlainCondition.Attribute
    let order: SortOrder
  }

  fileprivate let condition: PlainCondition
  fileprivate let sorts: [Sort]
  fileprivate let window: Range<Int>?

  /// Whether the result is exact only without unsaved edits.
  var isRelated: Bool { condition.isRelated }

  /// Whether the result may be shorter while its rows are read.
  var isWindow: Bool { window != nil }

  var query: Query<Book> {
    var query = Book.where { condition.filter($0) }
    for sort in sorts {
      query =
        switch sort.attribute {
        case .first: query.sorted(by: \.first, order: sort.order)
        case .second: query.sorted(by: \.second, order: sort.order)
        case .slot: query.sorted(by: \.slot, order: sort.order)
        case .shelf: query.sorted(by: \.shelfID, order: sort.order)
        }
    }
    return window.map { query.offset($0.lowerBound).limit($0.count) } ?? query
  }

  func elements(in rows: PlainRows) -> [ScreenContents.Element] {
    let found = rows.rows(.books).map { ScreenContents.Element(key: $0.key, row: $0.value) }
      .filter { condition.holds(for: $0, in: rows) }
      .sorted { isBefore($0, $1) }
    return window.map { Array(found.dropFirst($0.lowerBound).prefix($0.count)) } ?? found
  }

  /// Nil comes before every number in ascending order, and equal books are in the order of their keys,
  /// in the direction of the last sort.
  private func isBefore(_ left: ScreenContents.Element, _ right: ScreenContents.Element) -> Bool {
    for sort in sorts {
      let index = sort.attribute.rawValue
      let (first, second) = (left.row[index] ?? -1, right.row[index] ?? -1)
      if first != second { return (first < second) == (sort.order == .forward) }
    }
    return (left.key < right.key) == (sorts.last?.order != .reverse)
  }
}

extension SplitMix64 {
  /// Returns a random query of books.
  ///
  /// - Parameter isRelated: whether the condition may be about other rows as well.
  mutating func query(isRelated: Bool) -> PlainQuery {
    let sorts = (0..<below(3)).map { _ in
      PlainQuery.Sort(
        attribute: pick(PlainCondition.Attribute.allCases), order: oneIn(2) ? .forward : .reverse)
    }
    let offset = oneIn(2) ? 0 : below(3)
    let window = oneIn(2) ? nil : offset..<offset + 1 + below(3)
    return PlainQuery(condition: condition(isRelated: isRelated), sorts: sorts, window: window)
  }
}
