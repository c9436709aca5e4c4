/// Records on their way into the store without having been read first: what an import saves.
///
/// The rows may be of any tables and come in any order: what they refer to is looked for when all of
/// them are there.
package struct RecordBatch: Sendable {
  var layer: Layer

  package init() { layer = Layer() }

  init(_ layer: Layer) { self.layer = layer }

  package var isEmpty: Bool { layer.isEmpty }

  /// The number of distinct keys, over all tables.
  package var count: Int { layer.count }

  /// Adds a record that replaces the stored one with its key; a later one of a key wins.
  ///
  /// - Parameter attributes: what is written if the row is there; nil for all attributes. The
  ///   whole record is written if it is not.
  package mutating func add(_ record: Record, to table: Table, attributes: AttributeSet?) {
    let change: BlindChange
    if let attributes {
      change = .patching(attributes, onInsert: record)
    } else {
      change = .set(record)
    }
    layer.compose(.blind(change), table.id, record.key(Table.keyColumn))
  }

  /// Adds the deletion of a row, whether it is there or not.
  package mutating func delete(_ key: RecordKey, from table: Table) {
    layer.compose(.blind(.set(nil)), table.id, key)
  }

  /// Every key, by table.
  package var keys: BatchKeys {
    BatchKeys(keys: layer.tables.map { ($0.key, $0.value.map(\.key)) })
  }

  /// The keys as text, for messages.
  package var rowNames: [String] {
    keys.keys.flatMap { table, keys in keys.map { "\($0)" } }
  }

  /// Adds another batch on top: what it says of a key comes later.
  package mutating func compose(_ next: RecordBatch) { layer.compose(next.layer) }

  /// Leaves out what another batch has, too.
  package mutating func subtract(_ other: RecordBatch) {
    for (table, changes) in layer.tables where other.layer.tables[table] != nil {
      for (key, _) in changes where other.layer[table, key] != nil { layer[table, key] = nil }
    }
  }
}

/// Keys of several tables, such as those that a feed has.
package struct BatchKeys: Sendable {
  let keys: [(table: TableID, keys: [RecordKey])]
}
