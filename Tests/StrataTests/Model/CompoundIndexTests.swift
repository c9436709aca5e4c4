import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A message of a thread, with a key of any kind.
private protocol Post: Entity, Equatable where ID: Sendable {
  var threadID: Thread.ID { get set }
  var sent: Int { get set }
  init(_ number: Int, _ threadID: Thread.ID, sent: Int)
  static func posts(of thread: Thread.ID) -> Query<Self>
  static func inThread(_ thread: Thread.ID) -> Query<Self>
  static func bySent(_ query: Query<Self>, _ order: SortOrder) -> Query<Self>
}

private struct Thread: Entity {
  var id = 0
  static let numbers = toMany(\NumberPost.threadID)
  static let texts = toMany(\TextPost.threadID)
  static let uuids = toMany(\UUIDPost.threadID)
  static let schema = Schema<Thread>("threads", key: \.id) {
    numbers
    texts
    uuids
  }
}

private struct NumberPost: Post {
  var id = 0
  var threadID: Thread.ID = 0
  var sent = 0
  static let schema = Schema<NumberPost>("numbers", key: \.id) {
    toOne(\.threadID, Thread.self, onDelete: .cascade)
    Attribute(\.sent)
    Index(\.threadID, \.sent)
  }
  init() {}
  init(_ number: Int, _ threadID: Thread.ID, sent: Int) {
    (id, self.threadID, self.sent) = (number, threadID, sent)
  }
  static func posts(of thread: Thread.ID) -> Query<Self> { Thread.numbers(of: thread) }
  static func inThread(_ thread: Thread.ID) -> Query<Self> { Self.where { $0.threadID == thread } }
  static func bySent(_ query: Query<Self>, _ order: SortOrder) -> Query<Self> {
    query.sorted(by: \.sent, order: order)
  }
}

private struct TextPost: Post {
  var id = ""
  var threadID: Thread.ID = 0
  var sent = 0
  static let schema = Schema<TextPost>("texts", key: \.id) {
    toOne(\.threadID, Thread.self, onDelete: .cascade)
    Attribute(\.sent)
    Index(\.threadID, \.sent)
  }
  init() {}
  init(_ number: Int, _ threadID: Thread.ID, sent: Int) {
    (id, self.threadID, self.sent) = ("post \(number * 7919 % 100_003)", threadID, sent)
  }
  static func posts(of thread: Thread.ID) -> Query<Self> { Thread.texts(of: thread) }
  static func inThread(_ thread: Thread.ID) -> Query<Self> { Self.where { $0.threadID == thread } }
  static func bySent(_ query: Query<Self>, _ order: SortOrder) -> Query<Self> {
    query.sorted(by: \.sent, order: order)
  }
}

private struct UUIDPost: Post {
  var id = UUID()
  var threadID: Thread.ID = 0
  var sent = 0
  static let schema = Schema<UUIDPost>("uuids", key: \.id) {
    toOne(\.threadID, Thread.self, onDelete: .cascade)
    Attribute(\.sent)
    Index(\.threadID, \.sent)
  }
  init() {}
  init(_: Int, _ threadID: Thread.ID, sent: Int) { (self.threadID, self.sent) = (threadID, sent) }
  static func posts(of thread: Thread.ID) -> Query<Self> { Thread.uuids(of: thread) }
  static func inThread(_ thread: Thread.ID) -> Query<Self> { Self.where { $0.threadID == thread } }
  static func bySent(_ query: Query<Self>, _ order: SortOrder) -> Query<Self> {
    query.sorted(by: \.sent, order: order)
  }
}

/// An entity with indexes that others serve for.
private struct Lemma: Entity {
  var id = ""
  var a = ""
  var b = ""
  var c: Int?
  static let schema = Schema<Lemma>("lemmas", key: \.id) {
    Attribute(\.a)
    Attribute(\.b)
    Attribute(\.c)
    Index(\.a, \.b)
    Index(\.a, \.b)
    Index(\.a, \.b, \.id)
    Index(\.b, \.c)
    Unique(\.b, \.c, \.id)
    Index(\.c, \.a)
    Unique(\.c, \.a)
  }
}

/// Indexes of several attributes.
///
/// An index of one attribute has no order of a second one. SQLite then read and sorted a whole thread
/// for each page of it.
@Suite(.inTurn, .stack(Thread.self, NumberPost.self, TextPost.self, UUIDPost.self))
@MainActor struct CompoundIndexTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a page of a thread is read from the index in both directions, whatever the key`()
    async throws
  {
    try await checkPages(of: NumberPost.self)
    try await checkPages(of: TextPost.self)
    try await checkPages(of: UUIDPost.self)
  }

  private func checkPages<P: Post>(of _: P.Type) async throws {
    let posts = (0..<300).map { P($0, $0 % 3, sent: $0 * 37 % 40) }
    try await stack.withScratch { scratch in
      for id in 0..<3 { scratch.upsert(Thread(id: id)) }
      posts.forEach(scratch.insert)
    }
    let keys = posts.filter { $0.threadID == 1 }.map { ($0, RecordKey($0.id.storedCell)) }
      .sorted { ($0.0.sent, $0.1) < ($1.0.sent, $1.1) }
    for order in [SortOrder.forward, .reverse] {
      let all = (order == .forward ? keys : keys.reversed()).map(\.0)
      for whole in [P.inThread(1), P.posts(of: 1)] {
        let sorted = P.bySent(whole, order)
        for query in [sorted.limit(50), sorted.after(all[20]).limit(10), sorted.from(all[90])] {
          let explanation = try await view.explain(query)
          #expect(explanation.indexes.first?.hasSuffix("\"sent\"") == (P.self == NumberPost.self))
          #expect(explanation.indexes.first?.contains("\"threadID\".\"sent\"") == true)
          #expect(!explanation.description.contains("TEMP B-TREE"), "\(explanation)")
          #expect(explanation.warnings.isEmpty, "\(explanation)")
        }
        let page = sorted.limit(50)
        #expect(try await view.fetch(page) == Array(all.prefix(50)))
        #expect(Array(try await view.loaded(page).elements) == Array(all.prefix(50)))
        #expect(try await view.fetch(sorted.after(all[20]).limit(10)) == Array(all[21...30]))
      }
    }
  }

  @Test func `rows may share all values of an index that is not unique`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Thread(id: 1))
      for id in 1...3 { scratch.insert(NumberPost(id, 1, sent: 5)) }
    }
    #expect(try await stack.fetchKeys(NumberPost.all) == [1, 2, 3])
  }

  @Test func `an index is made once, and not beside a unique one with its columns`() async throws {
    let table = try Model([Lemma.self]).table(of: Lemma.self)
    #expect(
      table.indexes.map { "\($0.columns.joined(separator: " "))\($0.isUnique ? "!" : "")" }
        == ["b c id!", "c a!", "a b id", "c a id"])
    // An import into an empty table drops those that only make reading faster.
    #expect(table.plainIndexes.map(\.columns) == [["a", "b", "id"], ["c", "a", "id"]])
    let stack = try await Stack.temporary(Lemma.self)
    try await stack.withScratch { $0.insert(Lemma(id: "1", a: "x")) }
    #expect(try await stack.count(Lemma.all) == 1)
    await stack.close()
  }

  @Test func `an index of one attribute, or of one twice, is refused`() throws {
    struct Alone: Entity {
      var id = 0
      var title = ""
      static let schema = Schema<Alone>("alone", key: \.id) {
        Attribute(\.title)
        Index(\.title)
      }
    }
    struct Empty: Entity {
      var id = 0
      static let schema = Schema<Empty>("empty", key: \.id) { Index<Empty>() }
    }
    struct Twice: Entity {
      var id = 0
      var title = ""
      var rank = 0
      static let schema = Schema<Twice>("twice", key: \.id) {
        Attribute(\.title)
        Attribute(\.rank)
        Index(\.title, \.rank, \.title)
      }
    }
    struct Hidden: Entity {
      var id = 0
      var title = ""
      var hidden = ""
      static let schema = Schema<Hidden>("hidden", key: \.id) {
        Attribute(\.title)
        Ignored(\.hidden)
        Index(\.title, \.hidden)
      }
    }
    let cases: [(any Entity.Type, [String], String)] = [
      (Alone.self, ["title"], "an Index of Alone needs two or more attributes"),
      (Empty.self, [], "an Index of Empty needs two or more attributes"),
      (Twice.self, ["title"], "an Index names Twice.title twice"),
      (Hidden.self, [], "Index names something that is no attribute"),
    ]
    for (entity, attributes, message) in cases {
      let error = #expect(throws: StoreError.self) { try Model([entity]) }
      #expect(error?.code == .invalidSchema && error?.attributes == attributes, "\(entity)")
      #expect(error?.entity == "\(entity)")
      #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }
  }
}

extension AttributeValue {
  /// The value as the store keeps it.
  fileprivate var storedCell: Cell { (try? cell) ?? .null }
}
