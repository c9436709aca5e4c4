internal import Foundation
internal import StrataSQLite

// Conversions of cells between records and SQLite.

extension RecordBuilder {
  /// Packs the first `columns` columns of the statement's current row.
  func record(_ row: Statement, columns: Int) throws(ValueError) -> Record {
    begin(columns: columns)
    for column in 0..<columns {
      let index = Int32(truncatingIfNeeded: column)
      switch row.storageClass(index) {
      case .integer: append(row.integer(index))
      case .real: append(row.real(index))
      case .text: append(text: row.text(index))
      case .blob: append(blob: row.blob(index))
      case .null: appendNull()
      }
    }
    return try finish()
  }
}

extension RecordBuilder {
  /// Packs the statement's current row, which is a row of a table with the key first.
  func record(
    _ row: Statement, of table: Table, width: Int? = nil
  ) throws(StoreError) -> Record {
    let record: Record
    do throws(ValueError) {
      record = try self.record(row, columns: width ?? table.columns.count)
    } catch {
      let key = RecordKey(row, Int32(Table.keyColumn))
      throw StoreError(
        .invalidValue, "\(table.entity) \(key): \(error.message)", advice: "check the store",
        entity: table.entity, keys: [key])
    }
    try row.checkRow()
    return record
  }

  /// Packs all rows of a table that a statement returns, and resets the statement.
  ///
  /// - Parameter width: the number of columns, if it differs from the table's.
  func records(
    _ rows: Statement, of table: Table, width: Int? = nil
  ) throws(StoreError) -> ContiguousArray<Record> {
    defer { rows.reset() }
    var records = ContiguousArray<Record>()
    while try rows.next() { records.append(try record(rows, of: table, width: width)) }
    return records
  }
}

extension RecordView {
  /// Binds one cell to parameter `index`.
  ///
  /// The record must outlive the step of the statement.
  @inline(__always)
  func bind(_ column: Int, to statement: Statement, at index: Int32) {
    let payload = payload(column)
    switch tag(column) {
    case CellTag.integer.rawValue: statement.bind(index, Self.integer(payload))
    case CellTag.real.rawValue: statement.bind(index, Self.real(payload))
    case CellTag.text.rawValue:
      statement.bindStaticText(index, bytes(payload), payload.count)
    case CellTag.blob.rawValue:
      statement.bindStaticBlob(index, bytes(payload), payload.count)
    default: statement.bindNull(index)
    }
  }

  /// Binds all cells to the parameters from 1 on.
  @inline(__always)
  func bindAll(to statement: Statement) {
    for column in 0..<count {
      bind(column, to: statement, at: Int32(truncatingIfNeeded: column &+ 1))
    }
  }

  /// Returns the columns in which the statement's current row differs, compared in place.
  @inline(__always)
  func differences(from row: Statement) -> AttributeSet {
    var result = AttributeSet()
    for column in 0..<count where !equals(column, in: row) { result.insert(column) }
    return result
  }

  @inline(__always)
  private func equals(_ column: Int, in row: Statement) -> Bool {
    let index = Int32(truncatingIfNeeded: column)
    let payload = payload(column)
    let tag = tag(column)
    switch row.storageClass(index) {
    case .integer:
      return tag == CellTag.integer.rawValue && row.integer(index) == Self.integer(payload)
    case .real:
      return tag == CellTag.real.rawValue && row.real(index) == Self.real(payload)
    case .text:
      return tag == CellTag.text.rawValue && CellOrder.compare(row.text(index), payload) == 0
    case .blob:
      return tag == CellTag.blob.rawValue && CellOrder.compare(row.blob(index), payload) == 0
    case .null: return tag == CellTag.null.rawValue
    }
  }

  /// Returns a valid address, even for an empty payload at the very end of the record.
  @inline(__always)
  private func bytes(_ payload: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    payload.baseAddress ?? start
  }
}

extension RecordKey {
  /// Binds a copy of the key to parameter `index`.
  func bind(to statement: Statement, at index: Int32) {
    if let integer { statement.bind(index, integer) } else { cell.bind(to: statement, at: index) }
  }

  /// Reads the key in one column of the statement's current row.
  init(_ row: Statement, _ column: Int32) {
    if row.storageClass(column) == .integer {
      self.init(row.integer(column))
    } else {
      self.init(Cell(row, column))
    }
  }
}

extension Cell {
  /// Binds a copy of the cell to parameter `index`.
  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .null: statement.bindNull(index)
    case .integer(let value): statement.bind(index, value)
    case .real(let value): statement.bind(index, value)
    case .text(let value): statement.bind(index, value)
    case .blob(let value): statement.bind(index, blob: [UInt8](value))
    }
  }

  /// Reads the cell in one column of the statement's current row.
  init(_ row: Statement, _ column: Int32) {
    self =
      switch row.storageClass(column) {
      case .null: .null
      case .integer: .integer(row.integer(column))
      case .real: .real(row.real(column))
      case .text: .text(row.string(column))
      case .blob: .blob(.init(row.blob(column)))
      }
  }
}
