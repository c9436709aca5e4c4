/// What the view context shows, as a value: a large change is made to a copy on another thread.
///
/// The context takes the copy over if nothing has changed meanwhile (``ViewContext/changeElsewhere(_:)``).
struct ContextVersion: Sendable {
  var layers: ViewLayers
  var results: ResultVersions

  /// Makes edits, and shows them.
  ///
  /// - Parameters:
  ///   - keys: the keys that `edit` may edit.
  ///   - edit: makes the edits, and returns the edited keys.
  mutating func edit(
    _ keys: [TableID: Set<RecordKey>],
    _ edit: (inout ViewLayers) -> [TableID: Set<RecordKey>]
  ) {
    for (table, keys) in keys { layers.follow(keys, in: table, results) }
    let before = layers.shownRows(of: keys, results)
    let edited = edit(&layers)
    layers.show(edited, before: before, &results)
  }
}

/// Copies of live results.
struct ResultVersions: Sendable, ShownResults {
  let index: ResultIndex
  private var all: [Int: LiveContents]
  /// The edition that each changed result had.
  private var editions: [Int: Int] = [:]

  /// A result that was changed.
  struct Changed: Sendable {
    let number: Int
    /// The edition of the result that was copied.
    let edition: Int
    let contents: LiveContents
  }

  init(_ index: ResultIndex, _ all: [Int: LiveContents]) {
    self.index = index
    self.all = all
  }

  subscript(number: Int) -> LiveContents? { all[number] }

  func stored(_ key: RecordKey, in table: TableID, of number: Int) -> Record? {
    all[number]?.stored(key, in: table)
  }

  func addStored(
    _ keys: Set<RecordKey>, in table: TableID, of number: Int,
    to found: inout [RecordKey: Record]
  ) {
    all[number]?.addStored(keys, in: table, to: &found)
  }

  mutating func change(_ number: Int, _ body: (inout LiveContents) -> Void) {
    // Removed from `all`, so that the change does not copy what only this copy has.
    guard var contents = all.removeValue(forKey: number) else { return }
    if editions[number] == nil { editions[number] = contents.edition }
    body(&contents)
    all[number] = contents
  }

  /// Returns the changed results, ready to be reported.
  func takeChanged() -> [Changed] {
    editions.compactMap { number, edition in
      guard var contents = all[number] else { return nil }
      contents.prepareReport()
      return Changed(number: number, edition: edition, contents: contents)
    }
  }
}
