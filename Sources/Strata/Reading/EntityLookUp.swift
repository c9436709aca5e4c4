internal import StrataSQLite

/// A look-up of entities by key.
///
/// It reads in ascending order of the keys, because neighbours share pages. It returns the entities
/// in the caller's order.
struct EntityLookUp<E: Entity> {
  private let connection: Connection
  private let table: Table
  private let template = E()

  init(_ connection: Connection, _ table: Table) {
    self.connection = connection
    self.table = table
  }

  /// Returns the entities of the keys that exist, in the order of `keys`.
  func entities(_ keys: [RecordKey]) throws(StoreError) -> [E] {
    let order = keys.positionsByKey
    guard let first = order.first, let last = order.last else { return [] }
    var rows = try StoredRows(
      connection, table, count: keys.count, from: keys[first], to: keys[last])
    defer { rows.reset() }
    var missing: Set<Int> = []
    var failure: StoreError?
    let entities = [E](unsafeUninitializedCapacity: keys.count) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      for position in order {
        var row: Statement?
        do throws(StoreError) {
          // After a failure, the other positions are still initialised, because the array owns
          // them.
          row = failure == nil ? try rows.row(keys[position]) : nil
        } catch {
          failure = error
        }
        if row == nil { missing.insert(position) }
        do throws(CodingFailure) { try initialize(base + position, row) } catch {
          failure = table.error(error, key: keys[position])
        }
        do throws(StoreError) { try row?.checkRow() } catch { failure = error }
      }
      count = keys.count
    }
    if let failure { throw failure }
    if missing.isEmpty { return entities }
    return entities.indices.filter { !missing.contains($0) }.map { entities[$0] }
  }

  /// Initialises memory with a row's entity, or with defaults if the row does not exist or cannot
  /// be read.
  @inline(__always)
  private func initialize(
    _ pointer: UnsafeMutablePointer<E>, _ statement: Statement?
  ) throws(CodingFailure) {
    guard let statement else { return pointer.initialize(to: template) }
    let row = StatementRow(statement: statement)
    if table.codec.decodesInPlace {
      withUnsafePointer(to: template) { template in
        table.codec.initialize(
          row, at: UnsafeMutableRawPointer(pointer), template: UnsafeRawPointer(template))
      }
    } else {
      pointer.initialize(to: template)
      try table.codec.decode(row, into: UnsafeMutableRawPointer(pointer))
    }
  }
}

extension [RecordKey] {
  /// The positions, sorted by their keys.
  fileprivate var positionsByKey: [Int] {
    guard let low = self.min()?.integer, let high = self.max()?.integer,
      UInt64(bitPattern: high &- low) >> 32 == 0, count >> 32 == 0
    else { return indices.sorted { self[$0] < self[$1] } }
    // Keys this close are sorted as single words. The upper half of a word is the distance from the
    // lowest key, the lower half is the position. That is three times as fast as comparing keys in
    // place.
    var words = indices.map { position in
      UInt64(bitPattern: (self[position].integer ?? low) &- low) << 32 | UInt64(position)
    }
    words.sort()
    return words.map { Int($0 & 0xFFFF_FFFF) }
  }
}
