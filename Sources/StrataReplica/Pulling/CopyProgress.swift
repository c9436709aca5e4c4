internal import Foundation
internal import Strata

/// How far the reading of all rows has come.
///
/// The state is stored with each page. So a copy goes on after its last page if the connection breaks
/// or the program ends, as long as the server can tell what has
/// changed since its beginning.
struct CopyProgress: Codable, Equatable {
  /// The state of the server before the first page.
  ///
  /// The pages are younger, each by another amount. A pull from here on makes all of them equal to a
  /// state that the server had.
  let cursor: ReplicaCursor
  private(set) var rowCount = 0
  /// The names of the tables that were read to their ends.
  private var finished: Set<String> = []
  /// The table that is being read, and the last key that was read of it.
  private var last: Last?

  private struct Last: Codable, Equatable {
    let table: String
    let key: Key
  }

  private enum Key: Codable, Equatable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
  }

  init(_ cursor: ReplicaCursor) { self.cursor = cursor }

  func isFinished(_ table: Table) -> Bool { finished.contains(table.name) }

  /// Returns the last key of a table that was read; nil if its first row is next.
  func lastKey(of table: Table) -> RecordKey? {
    guard let last, last.table == table.name else { return nil }
    return switch last.key {
    case .integer(let value): RecordKey(.integer(value))
    case .real(let value): RecordKey(.real(value))
    case .text(let value): RecordKey(.text(value))
    case .blob(let value): RecordKey(.blob(value))
    }
  }

  /// Notes a page.
  ///
  /// - Parameter key: the last key of the page; nil at the end of the table.
  mutating func read(_ count: Int, of table: Table, through key: RecordKey?) {
    rowCount += count
    last = nil
    switch key?.cell {
    case .integer(let value): last = Last(table: table.name, key: .integer(value))
    case .real(let value): last = Last(table: table.name, key: .real(value))
    case .text(let value): last = Last(table: table.name, key: .text(value))
    case .blob(let value): last = Last(table: table.name, key: .blob(value))
    case .null?, nil: finished.insert(table.name)
    }
  }
}
