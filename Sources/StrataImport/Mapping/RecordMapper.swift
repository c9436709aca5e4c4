internal import Foundation
internal import Strata

/// A mapping resolved against its table: makes records from scanned rows, column by column.
struct RecordMapper {
  private struct Source {
    let slot: Int
    let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
    let isOnlyWhenInserted: Bool
    let positionKey: (@Sendable (Int) -> Cell)?
  }

  let table: Table
  let plan: JSONPlan
  /// By column; nil for attributes that the feed does not have.
  private let sources: [Source?]
  private let defaults: Record
  private let builder = RecordBuilder()

  init<E: Entity>(
    _ mapping: JSONMapping<E>, _ table: Table, defaults: Record
  ) throws(ImportError) {
    var sources = [Source?](repeating: nil, count: table.columns.count)
    var columns: [JSONColumn] = []
    for field in mapping.fields {
      guard let column = table.column(for: field.path) else {
        throw .mapping("\(field.path) is no attribute of \(table.entity)")
      }
      guard sources[column] == nil else {
        throw .mapping("\(table.entity).\(table.columns[column].name) is mapped twice")
      }
      let isKey = column == Table.keyColumn
      guard isKey || field.positionKey == nil else {
        throw .mapping(
          "\(table.entity).\(table.columns[column].name): only a key can be a position")
      }
      sources[column] = Source(
        slot: columns.count, convert: field.convert,
        isOnlyWhenInserted: field.isOnlyWhenInserted, positionKey: field.positionKey)
      do throws(JSONPlanError) {
        columns.append(
          JSONColumn(
            try JSONPath(field.key), field.kind,
            isRequired: field.isRequired || (isKey && field.positionKey == nil)))
      } catch {
        throw .mapping("\(table.entity), key \"\(field.key)\": \(error)")
      }
    }
    guard sources[Table.keyColumn] != nil else {
      throw .mapping("the mapping of \(table.entity) has no field for its key")
    }
    do throws(JSONPlanError) { plan = try JSONPlan(columns) } catch {
      throw .mapping("\(table.entity): \(error)")
    }
    self.table = table
    self.sources = sources
    self.defaults = defaults
  }

  /// A value that its attribute refused.
  struct Refusal: Error {
    let slot: Int
    let error: ValueError
  }

  /// The record of a row, and the attributes that the row has; nil for all of them.
  ///
  /// - Parameter position: how many records came before.
  func record(_ row: JSONRow, position: Int) throws(Refusal) -> (Record, AttributeSet?) {
    var written = AttributeSet()
    builder.begin(columns: sources.count)
    for column in sources.indices {
      guard let source = sources[column] else {
        builder.append(column, of: defaults)
        continue
      }
      let cell = row.cells[source.slot]
      switch cell {
      case .missing, .null:
        if let key = source.positionKey {
          builder.append(key(position))
        } else if cell == .null && table.columns[column].isOptional {
          builder.appendNull()
        } else {
          builder.append(column, of: defaults)
          continue
        }
      case .integer, .real, .text, .blob:
        if let convert = source.convert {
          do throws(ValueError) { builder.append(try convert(row.cell(cell))) } catch {
            throw Refusal(slot: source.slot, error: error)
          }
        } else {
          append(cell, of: row)
        }
      }
      if !source.isOnlyWhenInserted { written.insert(column) }
    }
    do throws(ValueError) {
      let record = try builder.finish()
      return (record, written.count == sources.count ? nil : written)
    } catch {
      throw Refusal(slot: 0, error: error)
    }
  }

  private func append(_ cell: JSONRow.Cell, of row: JSONRow) {
    switch cell {
    case .integer(let value): builder.append(value)
    case .real(let value): builder.append(value)
    case .text(let bytes): row.withBytes(bytes) { builder.append(text: $0) }
    case .blob(let bytes): row.withBytes(bytes) { builder.append(blob: $0) }
    case .missing, .null: builder.appendNull()
    }
  }
}

extension JSONRow {
  /// A scanned cell as a value of the store.
  fileprivate func cell(_ cell: Cell) -> Strata.Cell {
    switch cell {
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes): .text(string(bytes))
    case .blob(let bytes): .blob(.init(self.bytes(bytes)))
    case .missing, .null: .null
    }
  }
}
