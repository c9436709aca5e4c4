// A model of a store's rows and of the rules of a save, on plain arrays. It follows the
// documentation and uses no code of the library.

/// The entities of the contexts' stress test.
enum PlainTable: Int, CaseIterable, Comparable {
  case shelves, books, pages, loans, topics

  static func < (left: PlainTable, right: PlainTable) -> Bool { left.rawValue < right.rawValue }
}

/// The attributes of a row without its key.
typealias PlainRow = [Int?]

/// A link of a book with a topic.
struct PlainLink: Hashable {
  let book: Int
  let topic: Int
}

/// The rule of a save for conflicts, as in `SavePolicy`.
enum PlainPolicy: CaseIterable {
  case error, mergeMine, mergeTheirs, overwrite, discard
}

/// The edit of a context for one key.
enum PlainEdit: Equatable {
  /// A known edit: the row before and the row after. An insertion has nil before, a deletion nil
  /// after.
  case seen(PlainRow?, PlainRow?)
  /// A blind edit: the row becomes this row, or is deleted for nil, whatever the store has.
  case set(PlainRow?)

  /// The row before a known edit; nil for an insertion or a blind edit.
  var before: PlainRow? { if case .seen(let before, _) = self { before } else { nil } }

  /// Returns whether two edits of a row set the same attributes to the same values.
  ///
  /// The known edits may start from different rows.
  func setsTheSame(as other: PlainEdit) -> Bool {
    switch (self, other) {
    case (.seen(.some, let after?), .seen(.some, let otherAfter?)):
      after.indices.allSatisfy {
        sets($0) == other.sets($0) && (!sets($0) || after[$0] == otherAfter[$0])
      }
    case (.seen(_, let after), .seen(_, let otherAfter)): after == otherAfter
    default: self == other
    }
  }

  /// Returns the row that the edit shows over a row below.
  func over(_ row: PlainRow?) -> PlainRow? {
    switch self {
    case .set(let row): return row
    case .seen(let before?, let after?):
      guard var row else { return after }
      for index in row.indices where before[index] != after[index] { row[index] = after[index] }
      return row
    case .seen(_, let after): return after
    }
  }

  /// Returns whether the edit sets an attribute.
  ///
  /// An insertion, a deletion and a blind edit set all attributes.
  func sets(_ index: Int) -> Bool {
    if case .seen(let before?, let after?) = self { return before[index] != after[index] }
    return true
  }
}

extension PlainEdit: CustomStringConvertible {
  var description: String {
    switch self {
    case .set(let row): "set \(Self.words(row))"
    case .seen(let before, let after): "\(Self.words(before)) to \(Self.words(after))"
    }
  }

  static func words(_ row: PlainRow?) -> String {
    row.map { $0.map { $0.map { "\($0)" } ?? "-" }.joined(separator: ",") } ?? "none"
  }
}

/// The unsaved edits of a context.
struct PlainLayer: Equatable {
  var edits: [PlainTable: [Int: PlainEdit]] = [:]
  var links: [PlainLink: Bool] = [:]

  var isEmpty: Bool { edits.allSatisfy(\.value.isEmpty) && links.isEmpty }

  /// Edits a shown row.
  mutating func edit(_ table: PlainTable, _ key: Int, from shown: PlainRow?, to after: PlainRow?) {
    let result: PlainEdit?
    switch edits[table]?[key] {
    case nil: result = .seen(shown, after)
    case .set: result = .set(after)
    case .seen(let first, let second):
      var before = first
      if let first, let second, let shown {
        before = shown
        for index in first.indices where first[index] != second[index] {
          before?[index] = first[index]
        }
      }
      result = .seen(before, after)
    }
    replace(table, key, result)
  }

  mutating func upsert(_ table: PlainTable, _ key: Int, _ row: PlainRow?) {
    // An upsert back to the row before a known edit holds whatever the store has.
    if case .seen(let before, _)? = edits[table]?[key], before != row {
      replace(table, key, .seen(before, row))
    } else {
      replace(table, key, .set(row))
    }
  }

  /// Replaces the edit of a row. An edit that changes nothing is none.
  mutating func replace(_ table: PlainTable, _ key: Int, _ edit: PlainEdit?) {
    if case .seen(let before, let after)? = edit, before == after {
      edits[table]?[key] = nil
    } else {
      edits[table, default: [:]][key] = edit
    }
  }

  /// Returns whether a layer sets the same attributes of the same rows to the same values.
  ///
  /// Edits that cancel each other out may leave a known edit that starts from a newer row.
  func hasSameEdits(as other: PlainLayer) -> Bool {
    PlainTable.allCases.allSatisfy { table in
      let (edits, others) = (edits[table] ?? [:], other.edits[table] ?? [:])
      return edits.keys == others.keys
        && edits.allSatisfy { key, edit in others[key].map(edit.setsTheSame) == true }
    }
  }

  /// Returns the layer composed with the edits of a layer above it.
  func joined(with upper: PlainLayer) -> PlainLayer {
    var result = self
    for (table, edits) in upper.edits {
      for (key, edit) in edits {
        switch edit {
        case .set(let row): result.upsert(table, key, row)
        case .seen(let shown, let after): result.edit(table, key, from: shown, to: after)
        }
      }
    }
    for (link, isThere) in upper.links { result.links[link] = isThere }
    return result
  }
}

/// The rows and links of a store.
struct PlainRows: Equatable {
  var tables: [PlainTable: [Int: PlainRow]] = [:]
  var links: Set<PlainLink> = []
  /// The books of each topic in their order.
  var readings: [Int: [Int]] = [:]

  subscript(table: PlainTable, key: Int) -> PlainRow? {
    get { tables[table]?[key] }
    set { tables[table, default: [:]][key] = newValue }
  }

  func rows(_ table: PlainTable) -> [Int: PlainRow] { tables[table] ?? [:] }

  static func == (left: PlainRows, right: PlainRows) -> Bool {
    left.links == right.links
      && left.readings.filter { !$0.value.isEmpty } == right.readings.filter { !$0.value.isEmpty }
      && PlainTable.allCases.allSatisfy { left.rows($0) == right.rows($0) }
  }

  /// Returns the rows that a context with these layers shows, the lowest layer first.
  func under(_ layers: [PlainLayer]) -> PlainRows {
    var shown = self
    for layer in layers {
      for (table, edits) in layer.edits {
        for (key, edit) in edits { shown[table, key] = edit.over(shown[table, key]) }
      }
      for (link, isThere) in layer.links {
        if isThere { shown.links.insert(link) } else { shown.links.remove(link) }
      }
    }
    return shown
  }

  /// Returns the edits that make other rows of these rows.
  func changes(to other: PlainRows) -> PlainLayer {
    var layer = PlainLayer()
    for table in PlainTable.allCases {
      for key in Set(rows(table).keys).union(other.rows(table).keys) {
        layer.edit(table, key, from: self[table, key], to: other[table, key])
      }
    }
    for link in links.symmetricDifference(other.links) {
      layer.links[link] = other.links.contains(link)
    }
    return layer
  }

  /// Returns the existing books of a topic.
  func reading(of topic: Int) -> [Int] {
    self[.topics, topic] == nil ? [] : (readings[topic] ?? []).filter { self[.books, $0] != nil }
  }

  /// The outcome of a save.
  enum Outcome: Equatable {
    case saved(PlainRows)
    case conflict, deleteDenied, missingReference, uniquenessViolated
  }

  /// A reference from one table to another, with its delete rule.
  private struct Reference {
    let table: PlainTable
    let attribute: Int
    let target: PlainTable
    let rule: PlainSchema.Rule
  }

  private static var references: [Reference] {
    let schema = PlainSchema.current
    return [
      Reference(table: .books, attribute: 3, target: .shelves, rule: schema.ofShelf),
      Reference(table: .pages, attribute: 0, target: .books, rule: schema.ofBook),
      Reference(table: .loans, attribute: 0, target: .books, rule: schema.ofLoan),
    ]
  }

  /// Returns the outcome of saving a layer over these rows.
  func saving(_ layer: PlainLayer, _ policy: PlainPolicy) -> Outcome {
    var result = self
    for (table, edits) in layer.edits {
      for (key, edit) in edits {
        switch edit {
        case .set(let row): result[table, key] = row
        case .seen(let before, let after):
          let resolved = Self.resolve(before, after, over: self[table, key], policy)
          if resolved.conflicts && policy == .error { return .conflict }
          result[table, key] = resolved.row
        }
      }
    }
    for (link, isThere) in layer.links {
      if isThere { result.links.insert(link) } else { result.links.remove(link) }
    }
    if result.applyDeleteRules(since: self) { return .deleteDenied }
    for topic in result.readings.keys { result.readings[topic] = result.reading(of: topic) }
    result.links = result.links.filter {
      result[.books, $0.book] != nil && result[.topics, $0.topic] != nil
    }
    for (key, page) in result.rows(.pages) where self[.pages, key]?[0] != page[0] {
      guard let book = page[0], result[.books, book] != nil else { return .missingReference }
    }
    if !PlainSchema.current.hasUniqueSlots { return .saved(result) }
    let slots = result.rows(.books).values.compactMap { $0[2] }
    return Set(slots).count == slots.count ? .saved(result) : .uniquenessViolated
  }

  /// Returns the names of the rows whose edits would conflict if they were saved.
  func conflicts(with layer: PlainLayer) -> [String] {
    var names: [String] = []
    for (table, edits) in layer.edits {
      for (key, edit) in edits {
        guard case .seen(let before, let after) = edit else { continue }
        if Self.resolve(before, after, over: self[table, key], .error).conflicts {
          names.append("\(table) \(key)")
        }
      }
    }
    return names.sorted()
  }

  /// Returns the row that an edit makes of a stored row, and whether the edit conflicts.
  ///
  /// The stored row may have changed since the edit.
  static func resolve(
    _ before: PlainRow?, _ after: PlainRow?, over stored: PlainRow?, _ policy: PlainPolicy
  ) -> (row: PlainRow?, conflicts: Bool) {
    switch (before, after, stored) {
    case (nil, nil, _): return (stored, false)
    case (nil, let after?, let stored?):
      if after == stored { return (stored, false) }
      return (policy == .mergeMine || policy == .overwrite ? after : stored, true)
    case (nil, let after?, nil): return (after, false)
    case (_?, nil, nil): return (nil, false)
    case (let before?, nil, let stored?):
      if before == stored { return (nil, false) }
      return (policy == .mergeMine || policy == .overwrite ? nil : stored, true)
    case (_?, let after?, nil): return (policy == .overwrite ? after : nil, true)
    case (let before?, let after?, let stored?):
      let edited = before.indices.filter { before[$0] != after[$0] }
      let others = edited.filter { stored[$0] != before[$0] && stored[$0] != after[$0] }
      if policy == .discard && !others.isEmpty { return (stored, true) }
      var row = stored
      for index in edited where policy != .mergeTheirs || !others.contains(index) {
        row[index] = after[index]
      }
      return (row, !others.isEmpty)
    }
  }

  /// Applies the delete rules until they change no more rows.
  ///
  /// - Returns: whether a rule forbids a deletion.
  private mutating func applyDeleteRules(since old: PlainRows) -> Bool {
    var deleted: [(PlainTable, Int)] = []
    for table in PlainTable.allCases {
      for key in old.rows(table).keys where self[table, key] == nil { deleted.append((table, key)) }
    }
    let references = Self.references
    var denials: [(Reference, Int, Int)] = []
    while let (table, key) = deleted.popLast() {
      for reference in references where reference.target == table {
        for (referrer, row) in rows(reference.table) where row[reference.attribute] == key {
          switch reference.rule {
          case .nullify: self[reference.table, referrer]?[reference.attribute] = nil
          case .deny: denials.append((reference, referrer, key))
          case .cascade:
            self[reference.table, referrer] = nil
            deleted.append((reference.table, referrer))
          }
        }
      }
      links = links.filter {
        !(table == .books && $0.book == key) && !(table == .topics && $0.topic == key)
      }
    }
    return denials.contains { self[$0.0.table, $0.1]?[$0.0.attribute] == $0.2 }
  }
}
