/// Records on their way into the store, saved by an import without being read first.
///
/// The rows may be of any tables and come in any order, because references are looked up when all
/// rows are there.
package struct RecordBatch: Sendable {
  var layer: Layer
  /// The links to make when all rows are there.
  package var links: [LinkSet] = []

  package init() { layer = Layer() }

  init(_ layer: Layer) { self.layer = layer }

  package var isEmpty: Bool { layer.isEmpty }

  /// The number of distinct keys, over all tables.
  package var count: Int { layer.count }

  /// Adds a record that replaces the stored record with its key.
  ///
  /// A later record of the same key wins.
  ///
  /// - Parameter attributes: the attributes that are written to an existing row; nil for all
  ///   attributes. A row that does not exist gets the whole record.
  /// - Returns: whether the batch had a record or a deletion of the key.
  @discardableResult
  package mutating func add(_ record: Record, to table: Table, attributes: AttributeSet?) -> Bool {
    let before = layer.count
    let change: BlindChange
    if let attributes {
      change = .patching(attributes, onInsert: record)
    } else {
      change = .set(record)
    }
    layer.compose(.blind(change), table.id, record.key(Table.keyColumn))
    return layer.count == before
  }

  /// Adds the deletion of a row, whether it exists or not.
  package mutating func delete(_ key: RecordKey, from table: Table) {
    layer.compose(.blind(.set(nil)), table.id, key)
  }

  /// Every key, by table.
  package var keys: BatchKeys {
    BatchKeys(keys: layer.tables.map { ($0.key, $0.value.map(\.key)) })
  }

  /// The reasons for which rows that waited in vain were left out.
  package var complaints: [String] {
    layer.tables.flatMap { _, changes in
      changes.map { key, change in
        change.applied(to: nil) == nil
          ? "\(key) is to be deleted, but what refers to it forbids that"
          : "\(key) refers to what does not exist"
      }
    }
  }

  /// Adds a later batch, whose changes of a key come after the changes of this batch.
  package mutating func compose(_ next: RecordBatch) {
    layer.compose(next.layer)
    links += next.links
  }

  /// Returns the same rows in batches of at most `size` rows, without the links.
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

  /// Moves the changes of rows that `later` also changes into `later`, before its own changes.
  package mutating func move(under later: inout RecordBatch) {
    for (table, changes) in later.layer.tables where layer.tables[table] != nil {
      for (key, change) in changes {
        guard let earlier = layer[table, key] else { continue }
        layer[table, key] = nil
        later.layer.replace(table, key) { _ in earlier.composed(with: change) }
      }
    }
  }

  /// Drops the attributes that `later`, a batch that is already queued, writes.
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

/// Keys of several tables, such as the keys of a feed's rows.
package struct BatchKeys: Sendable {
  let keys: [(table: TableID, keys: [RecordKey])]
}
