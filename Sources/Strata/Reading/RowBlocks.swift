internal import StrataSQLite

/// The rows of a running statement, decoded straight into an array's own memory.
///
/// `Array.append(contentsOf:)` hands its spare capacity to `_copyContents`. There, a single body of
/// a subclass fills it, and nothing is copied afterwards. Appending is repeated until ``isDone``.
class RowBlocks<Element> {
  let statement: Statement
  /// The largest number of rows that are still to be read.
  private var wanted = Int.max
  private(set) var isDone = false
  private var error: StoreError?

  init(_ statement: Statement) { self.statement = statement }

  /// Initialises the start of the buffer with the next rows, and returns their number.
  func fill(_: UnsafeMutableBufferPointer<Element>) -> Int {
    fatalError("\(Self.self) does not say how its rows are decoded")
  }

  /// The key of the current row; nil if the statement does not select it.
  var key: RecordKey? { RecordKey(statement, Int32(Table.keyColumn)) }

  /// Returns all remaining rows.
  final func all() throws(StoreError) -> [Element] {
    var elements: [Element] = []
    while !isDone {
      if elements.count == elements.capacity {
        elements.reserveCapacity(max(16, elements.count * 2))
      }
      elements.append(contentsOf: Block(rows: self))
    }
    if let error { throw error }
    return elements
  }

  /// Returns at most the next `limit` rows.
  final func next(_ limit: Int) throws(StoreError) -> [Element] {
    var elements: [Element] = []
    wanted = limit
    while !isDone && elements.count < limit {
      // This guess does not allocate the whole limit for a batch that is never full.
      let room = min(limit, max(64, elements.count * 2))
      if elements.count == elements.capacity { elements.reserveCapacity(room) }
      elements.append(contentsOf: Block(rows: self))
    }
    if let error { throw error }
    return elements
  }

  private struct Block: Sequence {
    let rows: RowBlocks

    struct Iterator: IteratorProtocol {
      mutating func next() -> Element? { nil }
    }

    func makeIterator() -> Iterator { Iterator() }

    func _copyContents(
      initializing buffer: UnsafeMutableBufferPointer<Element>
    ) -> (Iterator, Int) {
      let room = UnsafeMutableBufferPointer(rebasing: buffer.prefix(rows.wanted))
      let count = rows.fill(room)
      rows.wanted -= count
      return (Iterator(), count)
    }
  }

  /// Steps through at most `capacity` rows, and calls `decode` to put each row at its position.
  @inline(__always)
  final func fill(
    _ capacity: Int, _ table: Table, _ decode: (Int) throws(CodingFailure) -> Void
  ) -> Int {
    var count = 0
    do throws(StoreError) {
      while count < capacity {
        guard try statement.next() else {
          isDone = true
          return count
        }
        do throws(CodingFailure) { try decode(count) } catch {
          isDone = true
          self.error = table.error(error, key: key)
          statement.reset()
          return count
        }
        count += 1
      }
    } catch {
      isDone = true
      self.error = error
    }
    return count
  }
}
