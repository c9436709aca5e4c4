#if Postgres
  internal import Foundation
  internal import Strata
  internal import StrataReplica

  extension TableMapping {
    /// Reads all rows of a result in binary format.
    ///
    /// A row that the store cannot have is named, and stops no other.
    ///
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if the result is of another table or has
    ///   other types than the mapping, or if a key cannot be read.
    func page(
      _ result: PostgresResult, _ builder: RecordBuilder
    ) throws(ReplicaError) -> ServerPage {
      for (column, type) in columns.enumerated() {
        // A number of any size is read as text, so the result does not tell its column.
        let isSame =
          result.type(column) == type.resultNumber
          && (type == .numeric || result.relation(column) == shape.relation)
        if !isSame { throw hasChanged }
      }
      var page = ServerPage()
      page.rows.reserveCapacity(result.count)
      let checks = table.columns.map(\.check)
      for row in 0..<result.count where !result.isNull(row, Table.keyColumn) {
        if let flaw = try append(result, row, checks, to: builder) {
          page.flaws[try key(result, row, builder)] = flaw
          continue
        }
        do throws(ValueError) {
          let record = try builder.finish()
          try table.checkLink(record)
          page.rows.append((RecordKey(record[Table.keyColumn]), record))
        } catch {
          page.flaws[try key(result, row, builder)] = RowFlaw([], error.message)
        }
      }
      return page
    }

    /// Appends the values of a row to a record; returns the reason for which the store cannot have it.
    private func append(
      _ result: PostgresResult, _ row: Int, _ checks: [Column.Check?], to builder: RecordBuilder
    ) throws(ReplicaError) -> RowFlaw? {
      builder.begin(columns: table.columns.count)
      for column in table.columns.indices {
        if result.isNull(row, column) {
          guard table.columns[column].isOptional else { return flaw(column, "is null") }
          builder.appendNull()
          continue
        }
        let (type, bytes) = (type(of: column), result.bytes(row, column))
        guard type.width == nil || type.width == bytes.count else {
          throw .unsuitable(
            "the server's \(name).\(names.columns[column]) has \(bytes.count) bytes")
        }
        Self.append(bytes, type, to: builder)
        if type.isNaN(bytes) { return flaw(column, "is no number (NaN)") }
        if let check = checks[column], let message = check(Self.cell(bytes, type)) {
          return flaw(column, message)
        }
      }
      return nil
    }

    private func flaw(_ column: Int, _ message: String) -> RowFlaw {
      RowFlaw([table.columns[column].name], "\(name).\(names.columns[column]) \(message)")
    }

    /// Reads the key of a row alone.
    private func key(
      _ result: PostgresResult, _ row: Int, _ builder: RecordBuilder
    ) throws(ReplicaError) -> RecordKey {
      RecordKey(Self.cell(result.bytes(row, Table.keyColumn), key))
    }

    /// Returns a value in binary format.
    private static func cell(_ bytes: UnsafeRawBufferPointer, _ type: ColumnType) -> Cell {
      let builder = RecordBuilder()
      builder.begin(columns: 1)
      append(bytes, type, to: builder)
      return (try? builder.finish())?[0] ?? .null
    }
  }

  extension ColumnType {
    /// Returns whether a value in binary format is NaN, which a store keeps as null.
    fileprivate func isNaN(_ bytes: UnsafeRawBufferPointer) -> Bool {
      switch self {
      case .float4:
        Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))).isNaN
      case .float8:
        Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))).isNaN
      default: false
      }
    }
  }

  extension RefusalReason {
    /// The reason for which an edit does not meet a row of the server that the store cannot have.
    init(_ flaw: RowFlaw) {
      self.init(sqlState: "22000", message: "the server's row cannot be read: \(flaw.message)")
    }
  }
#endif
