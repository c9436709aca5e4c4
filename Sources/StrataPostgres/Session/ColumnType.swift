/// A column's type on the server, as far as replicas know it.
enum ColumnType: String, CaseIterable, Sendable {
  case bool, int2, int4, int8, float4, float8, text, varchar, bytea, uuid, timestamptz, numeric

  /// The number of bytes of a value in binary format; nil if it varies.
  var width: Int? {
    switch self {
    case .bool: 1
    case .int2: 2
    case .int4, .float4: 4
    case .int8, .float8, .timestamptz: 8
    case .uuid: 16
    case .text, .varchar, .bytea, .numeric: nil
    }
  }

  /// The number of the type in a result. A number of any size is read as text.
  var resultNumber: UInt32 { self == .numeric ? ColumnType.text.number : number }

  /// The number by which PostgreSQL knows the type.
  var number: UInt32 {
    switch self {
    case .bool: 16
    case .bytea: 17
    case .int8: 20
    case .int2: 21
    case .int4: 23
    case .text: 25
    case .float4: 700
    case .float8: 701
    case .varchar: 1043
    case .timestamptz: 1184
    case .numeric: 1700
    case .uuid: 2950
    }
  }

  /// Returns whether PostgreSQL compares values of the types without a cast.
  func isComparable(with other: ColumnType) -> Bool {
    let families: [Set<ColumnType>] = [[.int2, .int4, .int8], [.text, .varchar]]
    return self == other || families.contains { $0.contains(self) && $0.contains(other) }
  }
}
