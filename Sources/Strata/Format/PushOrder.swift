internal import StrataSQLite

/// The order in which a server can make the waiting changes.
///
/// The order is that of the commits. Within a commit, deletions come before updates and updates
/// before insertions, as the writer itself writes them. There are three exceptions:
///
/// - a row is inserted before the rows that refer to it,
/// - a row is deleted after the rows that stop referring to it,
/// - a unique value is given up before another row gets it.
///
/// The order of the commits alone is not enough, because several edits of a row are one request.
/// The server's version of a row is uncertain if the answer to a request was lost, or if a
/// migration changed the table. Such a row may refer to any row on the server. So its request comes
/// before all deletions from the tables that it refers to. If the rules form a cycle, no order is
/// right: no server could make these changes row by row.
///
/// A deletion that is repeated stands for the insertion that follows it: the rows that refer to the row
/// wait for both.
package struct PushOrder {
  package struct Row: Sendable, Hashable {
    package let table: TableID
    package let key: RecordKey

    package init(table: TableID, key: RecordKey) {
      (self.table, self.key) = (table, key)
    }
  }

  /// A request, and the conditions under which it can be sent.
  package struct Step: Sendable {
    package let row: Row
    /// The commits that may have made the edits.
    package let commits: ClosedRange<Int64>
    /// The number of requests that were added before this one.
    let number: Int
    /// The requests that the server must have done before.
    package let needs: [Row]
    /// The tables whose rows this row may still refer to on the server.
    let guards: Set<TableID>
    let isDeletion: Bool
    /// Whether the row is inserted after this request.
    let isFollowed: Bool
  }

  private struct UniqueValue: Hashable {
    let table: TableID
    let columns: [Int]
    let cells: [Cell]
  }

  private struct Node {
    let row: Row
    let kind: PushRequest.Kind
    let isFollowed: Bool
    let first: Int64
    let commit: Int64
    let refersTo: [Row]
    let takes: [UniqueValue]
  }

  private let model: Model
  private var nodes: [Node] = []
  private var inserted: [Row: Int] = [:]
  /// The requests that end a reference to a row, by the row that was referred to.
  private var released: [Row: [Int]] = [:]
  private var freed: [UniqueValue: Int] = [:]
  /// The requests whose rows may refer to any row of a table, by that table.
  private var uncertain: [TableID: [Int]] = [:]

  init(_ model: Model) { self.model = model }

  /// Adds a request.
  ///
  /// - Parameters:
  ///   - original: the row as the server knows it, if that can be read.
  ///   - sent: the row as it was sent last, if that is known and may have arrived. What was sent before
  ///     that is not known.
  ///   - isHandedOver: whether the server may know a later version of the row, which is not known
  ///     here.
  ///   - isFollowed: whether the row is inserted after this request.
  ///   - first: no commit before this one made the edits; nil for the last commit.
  mutating func add(
    _ request: PushRequest, original: Record?, sent: Record? = nil, isHandedOver: Bool,
    isFollowed: Bool = false, first: Int64? = nil
  ) {
    let table = request.table
    let number = nodes.count
    let after = request.kind == .delete ? nil : request.record
    nodes.append(
      Node(
        row: Row(table: table.id, key: request.key), kind: request.kind, isFollowed: isFollowed,
        first: min(first ?? request.commit, request.commit), commit: request.commit,
        refersTo: after.map { targets(of: $0, table) } ?? [],
        takes: after.map { uniqueValues(of: $0, table) } ?? []))
    if isHandedOver || original == nil && request.kind != .insert {
      for target in Set(table.references.map(\.target)) {
        uncertain[target, default: []].append(number)
      }
    }
    if request.kind == .insert || isFollowed { inserted[nodes[number].row] = number }
    if let sent { giveUp(sent, number, table) }
    if request.kind != .insert, let original { giveUp(original, number, table) }
  }

  /// Notes that a request ends the references and gives up the unique values of a row that the server has.
  private mutating func giveUp(_ row: Record, _ number: Int, _ table: Table) {
    let kept = Set(nodes[number].refersTo)
    for target in targets(of: row, table) where !kept.contains(target) {
      released[target, default: []].append(number)
    }
    let keptValues = Set(nodes[number].takes)
    for value in uniqueValues(of: row, table) where !keptValues.contains(value) {
      freed[value] = number
    }
  }

  private func targets(of record: Record, _ table: Table) -> [Row] {
    table.references.compactMap { reference in
      record.isNull(reference.column)
        ? nil : Row(table: reference.target, key: record.key(reference.column))
    }
  }

  private func uniqueValues(of record: Record, _ table: Table) -> [UniqueValue] {
    table.uniques.compactMap { columns in
      columns.contains(where: record.isNull)
        ? nil
        : UniqueValue(table: table.id, columns: columns, cells: columns.map { record[$0] })
    }
  }

  // MARK: - Sorting

  /// Returns all requests, in the same order every time, also under another model.
  ///
  /// - Complexity: O(*n* log *n*) of the requests and their references.
  func sorted() -> [Step] {
    let order = nodes.indices.sorted(by: isBefore)
    var ranks = [Int](repeating: 0, count: nodes.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    var visited = [Bool](repeating: false, count: nodes.count)
    var uncertain = uncertain
    var guards = [Set<TableID>](repeating: [], count: nodes.count)
    for (table, numbers) in self.uncertain {
      for number in numbers { guards[number].insert(table) }
    }
    var result: [Step] = []
    for first in order {
      var stack = [(number: first, isDone: false)]
      while let (number, isDone) = stack.popLast() {
        if isDone {
          result.append(
            Step(
              row: nodes[number].row, commits: nodes[number].first...nodes[number].commit,
              number: number,
              needs: lasting(number).map { nodes[$0].row },
              guards: guards[number], isDeletion: nodes[number].kind == .delete,
              isFollowed: nodes[number].isFollowed))
          continue
        }
        if visited[number] { continue }
        visited[number] = true
        stack.append((number, true))
        // The stack returns the last element first, so the lowest rank is appended last.
        let needed = needs(of: number, &uncertain).filter { !visited[$0] }.sorted {
          ranks[$0] > ranks[$1]
        }
        for other in needed { stack.append((other, false)) }
      }
    }
    return result
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    let (left, right) = (nodes[left], nodes[right])
    if left.commit != right.commit { return left.commit < right.commit }
    if left.kind != right.kind { return Self.rank(left.kind) < Self.rank(right.kind) }
    if left.row.table != right.row.table {
      return model[left.row.table].name < model[right.row.table].name
    }
    return left.row.key < right.row.key
  }

  private static func rank(_ kind: PushRequest.Kind) -> Int {
    switch kind {
    case .delete: 0
    case .update: 1
    case .insert: 2
    }
  }

  /// Returns the requests that come before a request.
  ///
  /// - Parameter uncertain: the requests that come before the first deletion from each table. That
  ///   deletion takes them out, because the table's other deletions come after it.
  private func needs(of number: Int, _ uncertain: inout [TableID: [Int]]) -> [Int] {
    let node = nodes[number]
    if node.kind != .delete { return lasting(number) }
    var others = uncertain.removeValue(forKey: node.row.table) ?? []
    if node.isFollowed {
      // A row that refers to the new row comes after it.
      let later = others.filter { nodes[$0].refersTo.contains(node.row) }
      if !later.isEmpty { uncertain[node.row.table] = later }
      others.removeAll { later.contains($0) }
    }
    return lasting(number) + others.filter { $0 != number }
  }

  /// Returns the requests without which a request cannot be sent, in any order.
  private func lasting(_ number: Int) -> [Int] {
    let node = nodes[number]
    var needed = node.refersTo.compactMap { inserted[$0] }
    if node.kind == .delete { needed += released[node.row] ?? [] }
    needed += node.takes.compactMap { freed[$0] }
    return needed.filter { $0 != number }
  }
}
