internal import StrataSQLite

/// The rows of a running statement as values, or as tuples of values.
final class ValueRows<Value>: RowBlocks<Value> {
  private let table: Table
  /// The columns of the table that the rows have.
  private let columns: [Int]
  private let reader: RowReader<Value>

  init(_ statement: Statement, _ table: Table, _ columns: [Int], _ reader: RowReader<Value>) {
    self.table = table
    self.columns = columns
    self.reader = reader
    super.init(statement)
  }

  /// The cells of such a row are not those of the table's columns.
  override var key: RecordKey? { nil }

  override func fill(_ buffer: UnsafeMutableBufferPointer<Value>) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    let row = StatementRow(statement: statement)
    if let codec = reader.codec {
      return fill(buffer.count, table) { index in
        codec.initialize(row, at: UnsafeMutableRawPointer(base + index))
      }
    }
    return fill(buffer.count, table) { index throws(CodingFailure) in
      do throws(CodingFailure) {
        (base + index).initialize(to: try reader.read(row.cell))
      } catch {
        throw error.mapped(columns)
      }
    }
  }
}

/// The conversion of a row's cells to a value.
struct RowReader<Value>: Sendable {
  /// Makes the value from cells, given by their positions in the row.
  let read: @Sendable ((Int) -> Cell) throws(CodingFailure) -> Value
  /// The codec that makes the value in place; nil unless every part of it is read directly.
  var codec: EntityCodec?
}

/// The offsets of values in a tuple, one after the other, each aligned as its type requires.
struct TupleLayout {
  private var fields: [(offset: Int, kind: ValueKind)] = []
  private var end = 0

  mutating func add<Value>(_: Value.Type) {
    let alignment = MemoryLayout<Value>.alignment
    let offset = (end + alignment - 1) & ~(alignment - 1)
    fields.append((offset, ValueKind(Value.self)))
    end = offset + MemoryLayout<Value>.size
  }

  /// Returns a codec that decodes such tuples in place.
  ///
  /// - Returns: nil if a value of the tuple cannot be read directly, or if the compiler has laid
  ///   the tuple out otherwise.
  func codec<Tuple>(of _: Tuple.Type) -> EntityCodec? {
    if fields.contains(where: { $0.kind == .other }) || end != MemoryLayout<Tuple>.size {
      return nil
    }
    return EntityCodec(fields)
  }
}
