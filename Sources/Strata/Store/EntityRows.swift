internal import StrataSQLite

/// The rows of a running statement, decoded straight into an array's own memory.
///
/// `Array.append(contentsOf:)` hands its spare capacity to `_copyContents`, where one non-generic
/// body fills it; nothing is copied afterwards. Appending is repeated until ``isDone``.
final class EntityRows<E: Entity> {
  private let statement: Statement
  private let table: Table
  private let template = E()
  /// The number of rows that are still to be read at most.
  private var wanted = Int.max
  private(set) var isDone = false
  private(set) var error: StoreError?

  init(_ statement: Statement, _ table: Table) {
    self.statement = statement
    self.table = table
  }

  /// All rows from here on.
  func all() throws(StoreError) -> [E] {
    var entities: [E] = []
    while !isDone {
      if entities.count == entities.capacity {
        entities.reserveCapacity(max(16, entities.count * 2))
      }
      entities.append(contentsOf: Block(rows: self))
    }
    if let error { throw error }
    return entities
  }

  /// At most the next `limit` rows.
  func next(_ limit: Int) throws(StoreError) -> [E] {
    var entities: [E] = []
    wanted = limit
    while !isDone && entities.count < limit {
      // A guess that does not allocate for a batch which is never full.
      let room = Swift.min(limit, Swift.max(64, entities.count * 2))
      if entities.count == entities.capacity { entities.reserveCapacity(room) }
      entities.append(contentsOf: Block(rows: self))
    }
    if let error { throw error }
    return entities
  }

  private struct Block: Sequence {
    let rows: EntityRows

    struct Iterator: IteratorProtocol {
      mutating func next() -> E? { nil }
    }

    func makeIterator() -> Iterator { Iterator() }

    func _copyContents(initializing buffer: UnsafeMutableBufferPointer<E>) -> (Iterator, Int) {
      (Iterator(), rows.fill(buffer))
    }
  }

  /// Initialises as much of the buffer as there are rows, and returns how much.
  private func fill(_ buffer: UnsafeMutableBufferPointer<E>) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    let row = StatementRow(statement: statement)
    let codec = table.codec
    let room = min(buffer.count, wanted)
    defer { wanted -= room }
    if codec.decodesInPlace {
      return withUnsafePointer(to: template) { template in
        fill(room) { index throws(CodingFailure) in
          codec.initialize(
            row, at: UnsafeMutableRawPointer(base + index), template: UnsafeRawPointer(template))
        }
      }
    }
    return fill(room) { index throws(CodingFailure) in
      let entity: E = try table.decode(row)
      (base + index).initialize(to: entity)
    }
  }

  @inline(__always)
  private func fill(_ capacity: Int, _ decode: (Int) throws(CodingFailure) -> Void) -> Int {
    var count = 0
    do throws(SQLiteError) {
      while count < capacity {
        guard try statement.step() else {
          isDone = true
          return count
        }
        do throws(CodingFailure) { try decode(count) } catch {
          isDone = true
          self.error = table.error(error, key: RecordKey(statement, Int32(Table.keyColumn)))
          statement.reset()
          return count
        }
        count += 1
      }
    } catch {
      isDone = true
      self.error = StoreError(error)
    }
    return count
  }
}
