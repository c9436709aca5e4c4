internal import StrataSQLite
internal import Synchronization

/// The name of a cursor.
///
/// A name is never used again, so a late closing closes no other cursor.
struct CursorID: Hashable, Sendable {
  private static let last = Atomic(0)
  private let number = last.add(1, ordering: .relaxed).newValue
}

/// A statement that is read in several turns, each on the snapshot's reader.
///
/// Between the turns, the reader is free for other reads. A cursor holds its snapshot, so the
/// write-ahead log cannot be restarted. Releasing the cursor ends the statement without blocking.
final class Cursor: Sendable {
  private let hold: SnapshotHold
  private let id = CursorID()
  private var snapshot: Snapshot { hold.snapshot }

  /// Opens a cursor over a query's rows.
  ///
  /// - Parameter kind: the kind of the snapshot's holder, for a report.
  init(
    _ snapshot: Snapshot, _ sql: SQLBuilder, for kind: StackDiagnostics.Holder.Kind
  ) async throws(StoreError) {
    snapshot.willOpenCursor()
    do throws(StoreError) {
      try await snapshot.readOnce { [id] reader, connection throws(StoreError) in
        try reader.openCursor(id, sql, connection)
      }
    } catch {
      // A cancelled task does not wait for the reader, which may still open the cursor.
      snapshot.closeCursor(id)
      throw error
    }
    hold = SnapshotHold(snapshot, kind)
  }

  deinit { snapshot.closeCursor(id) }

  /// Returns at most the next `count` rows as entities; an empty array at the end.
  func entities<E: Entity>(
    _ count: Int, of table: Table, as _: E.Type
  ) async throws(StoreError) -> [E] {
    try await read { statement, _ throws(StoreError) in
      let rows = EntityRows<E>(statement, table)
      return (try rows.next(count), rows.isDone)
    } ?? []
  }

  /// Returns at most the next `count` rows as records; an empty array at the end.
  func records(_ count: Int, of plan: QueryPlan) async throws(StoreError) -> [Record] {
    try await read { statement, _ throws(StoreError) in
      let builder = RecordBuilder()
      var records: [Record] = []
      while records.count < count {
        guard try statement.next() else { return (records, true) }
        records.append(try builder.record(statement, of: plan.table, width: plan.width))
      }
      return (records, false)
    } ?? []
  }

  /// Hands the next rows as records to `body`, until `body` returns true.
  ///
  /// - Returns: the value with its rows; nil after the last row.
  func rows<Made: Sendable>(
    of plan: QueryPlan, _ made: Made,
    _ body: @escaping @Sendable (inout Made, Record, ExportedRelations) throws(StoreError) -> Bool
  ) async throws(StoreError) -> Made? {
    try await read { statement, connection throws(StoreError) in
      let builder = RecordBuilder()
      let relations = ExportedRelations(connection: connection, builder: builder)
      var made = made
      while try statement.next() {
        let record = try builder.record(statement, of: plan.table, width: plan.width)
        if try body(&made, record, relations) { return (made, false) }
      }
      return (made, true)
    }
  }

  /// Runs `body` on the statement; returns nil if an earlier turn has reached its end.
  ///
  /// - Parameter body: returns whether the statement is at its end.
  private func read<R: Sendable>(
    _ body:
      @escaping @Sendable (Statement, Connection) throws(StoreError) -> (result: R, isDone: Bool)
  ) async throws(StoreError) -> R? {
    try await snapshot.readOnce { [id] reader, connection throws(StoreError) in
      // At its end, a statement is reset. A further step would begin it anew.
      guard let statement = reader.cursor(id) else { return nil }
      var isDone = true
      defer { if isDone { reader.closeCursor(id) } }
      let turn = try body(statement, connection)
      isDone = turn.isDone
      return turn.result
    }
  }
}
