import Strata

/// A variant of the schema of random histories: its delete rules, its unique attribute and its
/// indexes.
struct PlainSchema: Sendable, Hashable {
  /// The effect of a row's deletion on rows that refer to it.
  enum Rule: Sendable, CaseIterable {
    case nullify, cascade, deny

    var delete: DeleteRule {
      switch self {
      case .nullify: .nullify
      case .cascade: .cascade
      case .deny: .deny
      }
    }
  }

  /// The rule of a book's reference to its shelf.
  var ofShelf = Rule.nullify
  /// The rule of a page's reference to its book, which cannot be nil.
  var ofBook = Rule.cascade
  /// The rule of a loan's reference to its book.
  var ofLoan = Rule.deny
  var hasUniqueSlots = true
  var isFirstIndexed = true
  var isSecondIndexed = false
  /// Whether the words of books are in a full-text index.
  var hasWords = true

  /// The variant of the running history.
  @TaskLocal static var current = PlainSchema()

  static let entities: [any Entity.Type] = [
    Shelf.self, Book.self, Page.self, Loan.self, Topic.self,
  ]

  init() {}

  /// Creates a random variant.
  init(_ random: inout SplitMix64) {
    ofShelf = random.pick(Rule.allCases)
    ofBook = random.oneIn(2) ? .cascade : .deny
    ofLoan = random.pick(Rule.allCases)
    hasUniqueSlots = !random.oneIn(4)
    isFirstIndexed = random.oneIn(2)
    isSecondIndexed = random.oneIn(2)
    hasWords = random.oneIn(2)
  }
}

extension PlainSchema: CustomStringConvertible {
  var description: String {
    let parts = [
      hasUniqueSlots ? "unique slots" : nil, isFirstIndexed ? "an index of first" : nil,
      isSecondIndexed ? "an index of second" : nil, hasWords ? "words" : nil,
    ]
    return "a deleted shelf: \(ofShelf), a deleted book: \(ofBook) pages, \(ofLoan) loans; "
      + parts.compactMap { $0 }.joined(separator: ", ")
  }
}

/// The schemas of an entity by variant. A schema is asked for again and again, and takes long to make.
final class PlainSchemas<E: Entity>: Sendable {
  private let known = Lock<[PlainSchema: Schema<E>]>([:])

  /// Returns the schema of the running history's variant.
  func current(_ make: (PlainSchema) -> Schema<E>) -> Schema<E> {
    let variant = PlainSchema.current
    if let schema = known.withLock({ $0[variant] }) { return schema }
    let schema = make(variant)
    known.withLock { $0[variant] = schema }
    return schema
  }
}
