#if Postgres
  internal import Strata
  internal import StrataReplica

  extension TableMapping {
    /// The error of a table that is not the one of the mapping any more.
    var hasChanged: ReplicaError {
      ReplicaError(
        .unsuitableServer, "the server's table \(name) has changed since its columns were read",
        advice: "the replica reads them again by itself")
    }

    static func append(
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
