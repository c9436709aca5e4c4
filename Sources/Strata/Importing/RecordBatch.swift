/// Records on their way into the store without having been read first: what an import saves.
///
/// The rows may be of any tables and come in any order: what they refer to is looked for when all
/// of them are there.
package struct RecordBatch: Sendable {
  var layer: Layer
  /// What the rows are to be linked with when all of them are there.
  package var links: [LinkSet] = []

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

  /// Why rows that waited in vain were left out.
  package var complaints: [String] {
    layer.tables.flatMap { _, changes in
      changes.map { key, change in
        change.applied(to: nil) == nil
          ? "\(key) is to be deleted, but what refers to it forbids that"
          : "\(key) refers to what does not exist"
      }
    }
  }

  /// Adds another batch on top: what it says of a key comes later.
  package mutating func compose(_ next: RecordBatch) {
    layer.compose(next.layer)
    links += next.links
  }

  /// The same rows in batches of a size.
  package func portions(of size: Int) -> [RecordBatch] {
    var portions: [RecordBatch] = []
    var next = RecordBatch()
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        next.layer.compose(change, table, key)
        if next.count < size { continue }
        portions.append(next)
        next = RecordBatch()
      }
    }
    return next.isEmpty ? portions : portions + [next]
  }

  /// Moves what this batch has of another one's rows into that one, under what comes there later.
  package mutating func move(under later: inout RecordBatch) {
    for (table, changes) in later.layer.tables where layer.tables[table] != nil {
      for (key, change) in changes {
        guard let earlier = layer[table, key] else { continue }
        layer[table, key] = nil
        later.layer.replace(table, key) { _ in earlier.composed(with: change) }
      }
    }
  }

  /// Leaves of every row what another batch, which comes later and is on its way already, does not
  /// say of it.
  package mutating func giveWay(to later: RecordBatch) {
    for (table, changes) in layer.tables where later.layer.tables[table] != nil {
      for (key, change) in changes {
        guard case .blind(let change) = change, case .blind(let next) = later.layer[table, key]
        else { continue }
        layer[table, key] = change.remaining(under: next).map(LayerChange.blind)
      }
    }
  }
}

/// Keys of several tables, such as those that a feed has.
package struct BatchKeys: Sendable {
  let keys: [(table: TableID, keys: [RecordKey])]
}
