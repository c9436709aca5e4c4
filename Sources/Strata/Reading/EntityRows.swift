internal import StrataSQLite

/// The rows of a running statement as entities.
final class EntityRows<E: Entity>: RowBlocks<E> {
  private let table: Table
  private let template = E()

  init(_ statement: Statement, _ table: Table) {
    self.table = table
    super.init(statement)
  }

  override func fill(_ buffer: UnsafeMutableBufferPointer<E>) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    let row = StatementRow(statement: statement)
    let codec = table.codec
    if codec.decodesInPlace {
      return withUnsafePointer(to: template) { template in
        fill(buffer.count, table) { index throws(CodingFailure) in
          codec.initialize(
            row, at: UnsafeMutableRawPointer(base + index), template: UnsafeRawPointer(template))
        }
      }
    }
    return fill(buffer.count, table) { index throws(CodingFailure) in
      let entity: E = try table.decode(row)
      (base + index).initialize(to: entity)
    }
  }
}
