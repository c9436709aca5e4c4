internal import Foundation
internal import StrataSQLite

/// A source of the cells of one row: a record, or the current row of a statement.
protocol CellSource {
  func isNull(_ column: Int) -> Bool
  func integer(_ column: Int) -> Int64
  func real(_ column: Int) -> Double
  func text(_ column: Int) -> UnsafeRawBufferPointer
  func blob(_ column: Int) -> UnsafeRawBufferPointer
  func cell(_ column: Int) -> Cell
}

/// A codec that moves attributes between entities in memory and cells, by offset.
///
/// A single compiled body serves every entity in every module.
struct EntityCodec: Sendable {
  private struct Step: Sendable {
    let offset: Int
    let kind: ValueKind
  }

  private let steps: [Step]
  private let codings: [AttributeCoding]
  private let size: Int
  /// Whether a row may be decoded over a bitwise copy of a default entity.
  ///
  /// This requires that every attribute is initialised directly. In addition, no other part of the
  /// entity may be large enough to hold a reference.
  let decodesInPlace: Bool

  init(_ codings: [AttributeCoding], size: Int) {
    self.codings = codings
    self.size = size
    steps = codings.map { Step(offset: $0.offset ?? 0, kind: $0.kind) }
    decodesInPlace =
      codings.allSatisfy { $0.kind != .other }
      && Self.largestGap(steps.map { $0.offset..<($0.offset + $0.kind.size) }, in: size)
        < MemoryLayout<UnsafeRawPointer>.size
  }

  /// Creates a codec for values at the given offsets, in memory that holds nothing else to
  /// initialise.
  init(_ fields: [(offset: Int, kind: ValueKind)]) {
    codings = []
    size = 0
    steps = fields.map { Step(offset: $0.offset, kind: $0.kind) }
    decodesInPlace = true
  }

  private static func largestGap(_ covered: [Range<Int>], in size: Int) -> Int {
    var largest = 0
    var end = 0
    for range in covered.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      largest = max(largest, range.lowerBound - end)
      end = max(end, range.upperBound)
    }
    return max(largest, size - end)
  }

  /// Returns whether a cell may stand for a value that this codec would write as another cell.
  ///
  /// Another program, an earlier version of the type or a migration has written such a cell.
  func mayRespell(_ column: Int, in row: RecordView) -> Bool {
    let tag = CellTag(rawValue: row.tag(column))
    switch steps[column].kind {
    case .other: return true
    case .int64: return tag != .integer
    case .optionalInt64: return tag != .integer && tag != .null
    case .bool, .optionalBool: return tag != .null && !(0...1).contains(row.integer(column))
    case .double, .date: return tag != .real
    case .optionalDouble, .optionalDate: return tag != .real && tag != .null
    case .string, .optionalString:
      return tag != .null && (tag != .text || !isValid(row.payload(column)))
    case .uuid, .optionalUUID: return tag != .null && row.payload(column).count != 16
    case .data, .optionalData: return tag != .null && tag != .blob
    }
  }

  private func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
    String(validating: text, as: UTF8.self) != nil
  }

  // MARK: Encoding

  /// Packs the entity at `entity` with the builder and returns the record.
  func encode(
    _ entity: UnsafeRawPointer, into builder: RecordBuilder
  ) throws(CodingFailure) -> Record {
    builder.begin(columns: steps.count)
    for column in 0..<steps.count {
      let step = steps[column]
      let field = entity + step.offset
      switch step.kind {
      case .int64: builder.append(field.load(as: Int64.self))
      case .optionalInt64: append(field.load(as: Int64?.self), builder) { builder.append($0) }
      case .bool: builder.append(field.load(as: Bool.self) ? 1 as Int64 : 0)
      case .optionalBool:
        append(field.load(as: Bool?.self), builder) { builder.append($0 ? 1 as Int64 : 0) }
      case .double: try append(field.load(as: Double.self), builder, column)
      case .optionalDouble:
        if let value = field.load(as: Double?.self) {
          try append(value, builder, column)
        } else {
          builder.appendNull()
        }
      case .date:
        try append(field.load(as: Date.self).timeIntervalSinceReferenceDate, builder, column)
      case .optionalDate:
        if let value = field.load(as: Date?.self) {
          try append(value.timeIntervalSinceReferenceDate, builder, column)
        } else {
          builder.appendNull()
        }
      case .string: builder.append(field.assumingMemoryBound(to: String.self).pointee)
      case .optionalString:
        append(field.assumingMemoryBound(to: String?.self).pointee, builder) { builder.append($0) }
      case .uuid: append(field.load(as: UUID.self), builder)
      case .optionalUUID:
        append(field.load(as: UUID?.self), builder) { append($0, builder) }
      case .data: append(field.assumingMemoryBound(to: Data.self).pointee, builder)
      case .optionalData:
        append(field.assumingMemoryBound(to: Data?.self).pointee, builder) { append($0, builder) }
      case .other:
        do { builder.append(try codings[column].read(entity)) } catch {
          throw CodingFailure(column: column, error: error)
        }
      }
    }
    do { return try builder.finish() } catch {
      throw CodingFailure(column: builder.overflow ?? 0, error: error)
    }
  }

  @inline(__always)
  private func append<V>(_ value: V?, _ builder: RecordBuilder, _ some: (V) -> Void) {
    if let value { some(value) } else { builder.appendNull() }
  }

  @inline(__always)
  private func append(
    _ value: Double, _ builder: RecordBuilder, _ column: Int
  ) throws(CodingFailure) {
    if value.isNaN { throw CodingFailure(column: column, error: .notANumber) }
    builder.append(value)
  }

  @inline(__always)
  private func append(_ value: UUID, _ builder: RecordBuilder) {
    withUnsafeBytes(of: value.uuid) { builder.append(blob: $0) }
  }

  private func append(_ value: Data, _ builder: RecordBuilder) {
    value.withUnsafeBytes { builder.append(blob: $0) }
  }

  // MARK: Decoding

  /// Assigns every attribute of the initialised entity at `entity`.
  ///
  /// - Parameter skip: a closure that is called for an attribute whose cell cannot be read, and that
  ///   is left alone. Without the closure, such a cell is an error.
  func decode(
    _ row: some CellSource, into entity: UnsafeMutableRawPointer, skip: ((Int) -> Void)? = nil
  ) throws(CodingFailure) {
    try decode(row, into: entity, initializing: false, skip: skip)
  }

  /// Initialises the uninitialised entity at `entity` from a bitwise copy of `template` and a row.
  ///
  /// Call it only if ``decodesInPlace`` is true.
  @inline(__always)
  func initialize(
    _ row: some CellSource, at entity: UnsafeMutableRawPointer, template: UnsafeRawPointer
  ) {
    entity.copyMemory(from: template, byteCount: size)
    // Only decoding through a key path can fail, and no attribute is decoded that way.
    try? decode(row, into: entity, initializing: true)
  }

  /// Initialises every value of the uninitialised memory at `values`, which must hold nothing else.
  @inline(__always)
  func initialize(_ row: some CellSource, at values: UnsafeMutableRawPointer) {
    // Only decoding through a key path can fail, and no value is decoded that way.
    try? decode(row, into: values, initializing: true)
  }

  @inline(__always)
  private func decode(
    _ row: some CellSource, into entity: UnsafeMutableRawPointer, initializing: Bool,
    skip: ((Int) -> Void)? = nil
  ) throws(CodingFailure) {
    try steps.withUnsafeBufferPointer { steps throws(CodingFailure) in
      try decode(row, into: entity, initializing: initializing, skip: skip, steps)
    }
  }

  @inline(__always)
  private func decode(
    _ row: some CellSource, into entity: UnsafeMutableRawPointer, initializing: Bool,
    skip: ((Int) -> Void)?, _ steps: UnsafeBufferPointer<Step>
  ) throws(CodingFailure) {
    for column in steps.indices {
      let step = steps[column]
      let field = entity + step.offset
      switch step.kind {
      case .int64: field.storeBytes(of: row.integer(column), as: Int64.self)
      case .optionalInt64: set(field, row.isNull(column) ? nil : row.integer(column), initializing)
      case .bool: field.storeBytes(of: row.integer(column) != 0, as: Bool.self)
      case .optionalBool:
        set(field, row.isNull(column) ? nil : row.integer(column) != 0, initializing)
      case .double: field.storeBytes(of: row.real(column), as: Double.self)
      case .optionalDouble: set(field, row.isNull(column) ? nil : row.real(column), initializing)
      case .date: set(field, Date(timeIntervalSinceReferenceDate: row.real(column)), initializing)
      case .optionalDate:
        set(
          field,
          row.isNull(column) ? nil : Date(timeIntervalSinceReferenceDate: row.real(column)),
          initializing)
      case .string: set(field, String(decoding: row.text(column), as: UTF8.self), initializing)
      case .optionalString:
        set(
          field, row.isNull(column) ? nil : String(decoding: row.text(column), as: UTF8.self),
          initializing)
      case .uuid: set(field, uuid(row.blob(column)), initializing)
      case .optionalUUID:
        set(field, row.isNull(column) ? nil : uuid(row.blob(column)), initializing)
      case .data: set(field, Data(row.blob(column)), initializing)
      case .optionalData:
        set(field, row.isNull(column) ? nil : Data(row.blob(column)), initializing)
      case .other:
        do { try codings[column].write(entity, row.cell(column)) } catch {
          guard let skip else {
            throw CodingFailure(column: column, error: error, .unreadable)
          }
          skip(column)
        }
      }
    }
  }

  /// Stores a value in initialised memory, or initialises the memory.
  ///
  /// Uninitialised memory must not be assigned, also if the type is trivial: without specialisation
  /// the assignment of an optional depends on the bytes that are there.
  @inline(__always)
  private func set<V>(_ field: UnsafeMutableRawPointer, _ value: V, _ initializing: Bool) {
    let target = field.assumingMemoryBound(to: V.self)
    if initializing { target.initialize(to: value) } else { target.pointee = value }
  }

  /// Returns the UUID in a blob.
  ///
  /// A blob of another length reads as zeros. Only another program can have written it.
  private func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID {
    guard bytes.count == 16 else {
      return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}

// MARK: - Sources

extension RecordView: CellSource {
  @inline(__always)
  func text(_ column: Int) -> UnsafeRawBufferPointer { bytes(column) }
  @inline(__always)
  func blob(_ column: Int) -> UnsafeRawBufferPointer { bytes(column) }
}

/// The current row of a statement.
struct StatementRow: CellSource {
  let statement: Statement

  @inline(__always)
  private func index(_ column: Int) -> Int32 { Int32(truncatingIfNeeded: column) }
  @inline(__always)
  func isNull(_ column: Int) -> Bool { statement.isNull(index(column)) }
  @inline(__always)
  func integer(_ column: Int) -> Int64 { statement.integer(index(column)) }
  @inline(__always)
  func real(_ column: Int) -> Double { statement.real(index(column)) }
  @inline(__always)
  func text(_ column: Int) -> UnsafeRawBufferPointer { statement.text(index(column)) }
  @inline(__always)
  func blob(_ column: Int) -> UnsafeRawBufferPointer { statement.blob(index(column)) }
  func cell(_ column: Int) -> Cell { Cell(statement, index(column)) }
}
