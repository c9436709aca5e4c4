import Strata

/// An entity of the contexts' stress test, as a plain row.
protocol PlainEntity: Entity, Equatable where ID == Int {
  static var table: PlainTable { get }
  var row: PlainRow { get }
  init(key: Int, _ row: PlainRow)
}

extension PlainLayer {
  /// Resolves a conflict of a view context's edits, in the context and in this layer of them.
  @MainActor
  mutating func resolve(
    _ conflict: Conflict, _ policy: PlainPolicy, in view: ViewContext
  ) throws(Contradiction) {
    guard let (table, key) = conflict.place,
      case .seen(let before, let after)? = edits[table]?[key]
    else { throw Contradiction(description: "no edit conflicts: \(conflict)") }
    let stored = conflict.storedRow
    let (row, isConflict) = PlainRows.resolve(before, after, over: stored, policy)
    try Contradiction.unless(isConflict, "no conflict: \(conflict)")
    let isResolved = view.resolve(conflict, policy.strata)
    try Contradiction.unless(isResolved == (policy != .error), "resolved: \(isResolved)")
    if isResolved { replace(table, key, .seen(stored, row)) }
  }
}

extension Conflict {
  private static let tables: [String: PlainTable] = [
    "Shelf": .shelves, "Book": .books, "Page": .pages, "Loan": .loans, "Topic": .topics,
  ]

  /// The name of the row, as `PlainRows` names it.
  var plainName: String? { Self.tables[entity].map { "\($0) \(key)" } }

  /// The row in the store.
  var storedRow: PlainRow? {
    storedRow(Shelf.self) ?? storedRow(Book.self) ?? storedRow(Page.self) ?? storedRow(Loan.self)
      ?? storedRow(Topic.self)
  }

  private func storedRow<E: PlainEntity>(_: E.Type) -> PlainRow? {
    sides(of: E.self)?.theirs?.row
  }

  /// The table and the key of the row.
  var place: (PlainTable, Int)? {
    guard let table = Self.tables[entity], case .integer(let key) = key.cell else { return nil }
    return (table, Int(key))
  }
}

struct Shelf: PlainEntity {
  var id = 0
  var height = 0

  static let books = toMany(\Book.shelfID)
  static let schema = Schema<Shelf>("shelves", key: \.id) {
    Attribute(\.height)
    books
  }
  static let table = PlainTable.shelves
  var row: PlainRow { [height] }
}

extension Shelf {
  init(key: Int, _ row: PlainRow) { self.init(id: key, height: row[0] ?? 0) }
}

struct Book: PlainEntity {
  var id = 0
  var first = 0
  var second = 0
  var slot: Int?
  var shelfID: Int?
  /// A word, a latitude and a longitude that follow from `second`, so an edit changes all or none.
  var word = Book.word(0)
  var latitude = 0.0
  var longitude = 0.0

  static let topics = manyToMany(Topic.self)
  static let pages = toMany(\Page.bookID)
  static var shelf: ToOne<Book, Shelf> {
    toOne(\.shelfID, Shelf.self, onDelete: PlainSchema.current.ofShelf.delete)
  }
  static let location = spatial(\.latitude, \.longitude)
  static var schema: Schema<Book> {
    schemas.current { plain in
      let (first, second) = (Attribute(\Book.first), Attribute(\Book.second))
      let (slot, word) = (Attribute(\Book.slot), Attribute(\Book.word))
      return Schema<Book>("books", key: \.id) {
        plain.isFirstIndexed ? first.indexed() : first
        plain.isSecondIndexed ? second.indexed() : second
        plain.hasUniqueSlots ? slot.unique() : slot
        shelf
        plain.hasWords ? word.fullText() : word
        Attribute(\.latitude)
        Attribute(\.longitude)
        location
        topics
        pages
      }
    }
  }
  private static let schemas = PlainSchemas<Book>()
  static let table = PlainTable.books
  var row: PlainRow { [first, second, slot, shelfID] }

  static func word(_ second: Int) -> String { "word\(second)" }
}

extension Book {
  init(key: Int, _ row: PlainRow) {
    let second = row[1] ?? 0
    self.init(
      id: key, first: row[0] ?? 0, second: second, slot: row[2], shelfID: row[3],
      word: Book.word(second), latitude: Double(second), longitude: Double(second))
  }
}

/// A page, which needs its book.
struct Page: PlainEntity {
  var id = 0
  var bookID = 0
  var number = 0

  static var book: ToOne<Page, Book> {
    toOne(\.bookID, Book.self, onDelete: PlainSchema.current.ofBook == .deny ? .deny : .cascade)
  }
  static var schema: Schema<Page> {
    schemas.current { _ in
      Schema<Page>("pages", key: \.id) {
        book
        Attribute(\.number)
      }
    }
  }
  private static let schemas = PlainSchemas<Page>()
  static let table = PlainTable.pages
  var row: PlainRow { [bookID, number] }
}

extension Page {
  init(key: Int, _ row: PlainRow) { self.init(id: key, bookID: row[0] ?? 0, number: row[1] ?? 0) }
}

/// A loan, which may be of a book.
struct Loan: PlainEntity {
  var id = 0
  var bookID: Int?

  static var schema: Schema<Loan> {
    schemas.current { plain in
      Schema<Loan>("loans", key: \.id) {
        toOne(\.bookID, Book.self, onDelete: plain.ofLoan.delete)
      }
    }
  }
  private static let schemas = PlainSchemas<Loan>()
  static let table = PlainTable.loans
  var row: PlainRow { [bookID] }
}

extension Loan {
  init(key: Int, _ row: PlainRow) { self.init(id: key, bookID: row[0]) }
}

struct Topic: PlainEntity {
  var id = 0
  var weight = 0

  static let books = manyToMany(inverseOf: \Book.Type.topics)
  static let reading = manyToMany(Book.self, "reading", ordered: true)
  static let schema = Schema<Topic>("topics", key: \.id) {
    Attribute(\.weight)
    books
    reading
  }
  static let table = PlainTable.topics
  var row: PlainRow { [weight] }
}

extension Topic {
  init(key: Int, _ row: PlainRow) { self.init(id: key, weight: row[0] ?? 0) }
}
