#if Postgres
  internal import Strata
  internal import StrataReplica

  extension TableMapping {
    /// Reads all rows of a result in binary format.
    ///
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if the result is of another table or has
    ///   other types than the mapping, or if a row cannot become the entity's.
    func rows(
      _ result: PostgresResult, _ builder: RecordBuilder
    ) throws(ReplicaError) -> [(key: RecordKey, record: Record)] {
      for (column, type) in columns.enumerated() {
        // A number of any size is read as text, so the result does not tell its column.
        let isSame =
          result.type(column) == type.resultNumber
          && (type == .numeric || result.relation(column) == shape.relation)
        if !isSame { throw hasChanged }
      }
      var rows: [(key: RecordKey, record: Record)] = []
      rows.reserveCapacity(result.count)
      for row in 0..<result.count {
        let record = try record(result, row, builder)
        rows.append((RecordKey(record[Table.keyColumn]), record))
      }
      return rows
    }

    /// The error of a table that is not the one of the mapping any more.
    var hasChanged: ReplicaError {
      ReplicaError(
        .unsuitableServer, "the server's table \(name) has changed since its columns were read",
        advice: "the replica reads them again by itself")
    }

    /// Reads a row in binary format.
    private func record(
      _ result: PostgresResult, _ row: Int, _ builder: RecordBuilder
    ) throws(ReplicaError) -> Record {
      builder.begin(columns: columns.count)
      for (column, type) in columns.enumerated() {
        if result.isNull(row, column) {
          guard table.columns[column].isOptional else {
            throw .unsuitable(
              "the server's \(name).\(names.columns[column]) is null in a row, and the "
                + "attribute is not optional")
          }
          builder.appendNull()
        } else {
          let bytes = result.bytes(row, column)
          guard type.width == nil || type.width == bytes.count else {
            throw .unsuitable(
              "the server's \(name).\(names.columns[column]) has \(bytes.count) bytes")
          }
          Self.append(bytes, type, to: builder)
        }
      }
      do throws(ValueError) {
        let record = try builder.finish()
        try table.checkLink(record)
        return record
      } catch {
        throw .unsuitable("a row of the server's \(name): \(error.message)")
      }
    }

    private static func append(
      _ bytes: UnsafeRawBufferPointer, _ type: ColumnType, to builder: RecordBuilder
    ) {
      switch type {
      case .bool: builder.append(Int64(bytes[0]))
      case .int2: builder.append(Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
      case .int4: builder.append(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
      case .int8: builder.append(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
      case .float4:
        let bits = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
        builder.append(Double(Float(bitPattern: bits)))
      case .float8:
        builder.append(
          Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
      case .timestamptz:
        // Microseconds since 2000 become seconds since 2001. The year 2000 had 366 days.
        switch Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) {
        case .max: builder.append(Double.infinity)
        case .min: builder.append(-Double.infinity)
        case let microseconds:
          builder.append(Double(microseconds - 366 * 86_400_000_000) / 1_000_000)
        }
      case .text, .varchar, .numeric: builder.append(text: bytes)
      case .bytea, .uuid: builder.append(blob: bytes)
      }
    }
  }
#endif
