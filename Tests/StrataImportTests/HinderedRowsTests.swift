import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct Document: Entity, Equatable {
  var id = 0
  var title = ""
  var code: Int?

  static let lines = toMany(\Line.documentID)
  static let schema = Schema<Document>("documents", key: \.id) {
    Attribute(\.title)
    Attribute(\.code).unique()
    lines
  }
  static let json = JSONMapping<Document> {
    Field(\.id, "id")
    Field(\.title, "title")
    Field(\.code, "code")
    Tombstone(ifTrue: "gone")
  }
}

private struct Line: Entity, Equatable {
  var id = 0
  var documentID = 0
  var text = ""

  static let schema = Schema<Line>("lines", key: \.id) {
    toOne(\.documentID, Document.self, onDelete: .cascade)
    Attribute(\.text)
  }
  static let json = JSONMapping<Line> {
    Field(\.id, "id")
    Field(\.documentID, "document")
    Field(\.text, "text")
    Tombstone(ifTrue: "gone")
  }
}

private struct Comment: Entity, Equatable {
  var id = 0
  var lineID = 0

  static let schema = Schema<Comment>("comments", key: \.id) {
    toOne(\.lineID, Line.self, onDelete: .cascade)
  }
  static let json = JSONMapping<Comment> {
    Field(\.id, "id")
    Field(\.lineID, "line")
  }
}

/// A row that denies the deletion of its document, and whose hours are in order.
private struct Slot: Entity, Equatable {
  var id = 0
  var documentID: Int?
  var start = 0
  var end = 0
  var reserveID: Int?

  static let schema = Schema<Slot>("slots", key: \.id) {
    toOne(\.documentID, Document.self, onDelete: .deny)
    Attribute(\.start)
    Attribute(\.end)
    toOne(\.reserveID, Document.self, onDelete: .nullify)
    Validation("the start is before the end") { $0.start <= $0.end }
    Validation("a slot from 9 on has a reserve") { $0.start < 9 || $0.reserveID != nil }
  }
  static let json = JSONMapping<Slot> {
    Field(\.id, "id")
    Field(\.documentID, "document")
    Field(\.start, "start")
    Field(\.end, "end")
    Field(\.reserveID, "reserve")
  }
}

/// Rows of the server that an edit which waits keeps from being stored.
///
/// A document was deleted here, and the server gave it a line. Each refresh threw `missingReference`, and the
/// push that came after the refresh never ran.
@Suite(.inTurn, .stack(Document.self, Line.self, Comment.self, Slot.self))
struct HinderedRowsTests {
  let stack = Stack.test

  private static let feed = JSONDocument {
    JSONRecords(Document.self, at: "documents", Document.json)
    JSONRecords(Line.self, at: "lines", Line.json)
    JSONRecords(Comment.self, at: "comments", Comment.json)
    JSONRecords(Slot.self, at: "slots", Slot.json)
  }

  /// The content of the server's feed.
  private final class Server: Sendable {
    let body = Lock("")
    private let server = TestServer { _, _ in .init(status: 500) }

    init() {
      server.answer { [body] request, _ in
        let text = body.withLock(\.self)
        let tag = "\"\(text.hashValue)\""
        if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .init(status: 304) }
        return .init(headers: ["ETag": tag, "Content-Length": "\(text.utf8.count)"], body: text)
      }
    }

    var request: URLRequest { get throws { try server.request("all") } }
    func refresher(_ stack: Stack) -> Refresher {
      Refresher(stack, transport: .urlSession(server.configuration), retries: .never)
    }
    /// Whether the last request had a validator.
    var wasConditional: Bool {
      server.requests.last?.value(forHTTPHeaderField: "If-None-Match") != nil
    }
    func set(
      documents: String = documents, lines: String = lines, comments: String = "",
      slots: String = slots
    ) {
      body.withLock {
        $0 =
          #"{"documents":[\#(documents)],"lines":[\#(lines)],"comments":[\#(comments)],"slots":[\#(slots)]}"#
      }
    }
    static let documents =
      #"{"id":1,"title":"a"},{"id":2,"title":"b"},{"id":3,"title":"c"},{"id":4,"title":"d"}"#
    static let lines = #"{"id":1,"document":1,"text":"one"},{"id":2,"document":2,"text":"two"}"#
    static let slots = #"{"id":1,"document":null,"start":1,"end":5,"reserve":4}"#
  }

  /// An edit of the user, and what the server has afterwards.
  enum Story: String, CaseIterable {
    case newLine = "the server adds a line to a document that is deleted here"
    case newComment = "the server adds a line with a comment"
    case movedLine = "the server moves a line to a document that is deleted here"
    case brokenRule = "an edit breaks a rule over the server's row"
    case deniedDeletion = "a row that was made here denies the deletion of the server's document"
    case deniedByEdit = "an edit denies the deletion of the server's document"
    case brokenByDeletion = "the server's deletion takes a value that an edit needs"
  }

  private func edit(_ story: Story) async throws {
    try await stack.withScratch { scratch in
      let slot = try #require(try await scratch.find(Slot.self, 1))
      switch story {
      case .newLine, .newComment, .movedLine: scratch.delete(Document.self, 1)
      case .brokenRule: scratch.update(slot) { $0.start = 4 }
      case .deniedDeletion: scratch.insert(Slot(id: 100, documentID: 3))
      case .deniedByEdit: scratch.update(slot) { $0.documentID = 3 }
      case .brokenByDeletion: scratch.update(slot) { ($0.start, $0.end) = (9, 10) }
      }
    }
  }

  private func change(_ server: Server, _ story: Story) {
    let news = #"{"id":2,"title":"news"}"#
    func documents(_ third: String, _ fourth: String) -> String {
      #"{"id":1,"title":"a"},\#(news),\#(third),\#(fourth)"#
    }
    let (third, fourth) = (#"{"id":3,"title":"c"}"#, #"{"id":4,"title":"d"}"#)
    let all = documents(third, fourth)
    let line = #",{"id":12,"document":1,"text":"new"}"#
    switch story {
    case .newLine: server.set(documents: all, lines: Server.lines + line)
    case .newComment:
      server.set(
        documents: all, lines: Server.lines + line, comments: #"{"id":1,"line":12}"#)
    case .movedLine:
      server.set(
        documents: all,
        lines: #"{"id":1,"document":1,"text":"one"},{"id":2,"document":1,"text":"two"}"#)
    case .brokenRule:
      server.set(documents: all, slots: #"{"id":1,"document":null,"start":1,"end":3,"reserve":4}"#)
    case .deniedDeletion, .deniedByEdit:
      server.set(documents: documents(#"{"id":3,"gone":true}"#, fourth))
    case .brokenByDeletion:
      server.set(documents: documents(third, #"{"id":4,"gone":true}"#))
    }
  }

  @Test(arguments: Story.allCases, [ImportOptions.Commits.batched, .atomic])
  func `a pull and a push go on`(_ story: Story, _ commits: ImportOptions.Commits) async throws {
    for (absent, skips) in [
      (AbsentRows.keep, false), (.delete, false), (.keep, true), (.delete, true),
    ] {
      try await stack.withScratch { scratch in
        scratch.author = Stack.evictionAuthor
        try await scratch.delete(Slot.all)
        try await scratch.delete(Document.all)
      }
      let outbox = try await stack.outbox()
      try await outbox.acknowledgeEverything()
      let server = Server()
      server.set()
      var feed = Feed("all", Self.feed, from: try server.request, absent: absent)
      feed.options.commits = commits
      if skips { feed.options.refusedRecords = .skip() }
      let refresher = server.refresher(stack)
      try await refresher.refresh(feed)
      try await edit(story)
      change(server, story)
      for _ in 1...2 {
        guard case .imported(let result) = try await refresher.refresh(feed) else {
          Issue.record("the feed was not read")
          continue
        }
        // Only an edit that was set aside leaves all of the server's rows in the store.
        #expect(result.kept > 0 || story == .brokenRule, "\(result)")
        #expect(result.skipped == 0, "\(result)")
      }
      #expect(try await stack.find(Document.self, 2)?.title == "news")
      #expect(!server.wasConditional)
      try await checkEdit(story, in: outbox)
      let result = try await outbox.push { _ in .done }
      #expect(result.left == 0 && (result.sent == 0) == (story == .brokenRule), "\(result)")
    }
  }

  /// Checks that the store has the edit, and that the outbox tells it.
  private func checkEdit(_ story: Story, in outbox: Outbox) async throws {
    let slot = try #require(try await stack.find(Slot.self, 1))
    switch story {
    case .newLine, .newComment, .movedLine:
      #expect(try await stack.find(Document.self, 1) == nil)
      #expect(try await stack.find(Line.self, 12) == nil)
      if story == .movedLine { #expect(try await stack.find(Line.self, 2)?.documentID == 2) }
    case .brokenRule:
      #expect(slot.start == 1 && slot.end == 3)
      let refusal = try #require(try await outbox.refusals().first)
      #expect(refusal.isSetAside && refusal.reason.contains("the start is before the end"))
      #expect(refusal.request.value(as: Slot.self)?.start == 4)
      await #expect(throws: StoreError.self) { try await outbox.retry(refusal) }
    case .deniedDeletion, .deniedByEdit: #expect(try await stack.find(Document.self, 3) != nil)
    case .brokenByDeletion: #expect(slot.start == 9 && slot.reserveID == 4)
    }
  }

  @Test(arguments: [true, false], [ImportOptions.Commits.batched, .atomic])
  func `a row with a code of a row that stays is left out with its children`(
    _ isTold: Bool, _ commits: ImportOptions.Commits
  ) async throws {
    for hasRule in [false, true] {
      let outbox = try await stack.outbox()
      func hear(_ documents: String, _ lines: String) async throws -> ImportResult {
        let json = #"{"documents":[\#(documents)],"lines":[\#(lines)],"comments":[],"slots":[]}"#
        return try await stack.importJSON(
          Self.feed, from: .data(Data(json.utf8)), absent: isTold ? .keep : .delete,
          options: .init { $0.commits = commits })
      }
      _ = try await hear(#"{"id":1,"code":8}"#, "")
      // The first document stays, because a new row goes with it or denies its deletion.
      try await stack.withScratch { scratch in
        if hasRule {
          scratch.insert(Slot(id: 100, documentID: 1))
        } else {
          scratch.insert(Line(id: 100, documentID: 1, text: "mine"))
        }
      }
      for _ in 1...2 {
        let result = try await hear(
          (isTold ? #"{"id":1,"gone":true},"# : "")
            + #"{"id":2,"code":8},{"id":3,"title":"news"}"#,
          #"{"id":2,"document":2},{"id":3,"document":3}"#)
        #expect(result.kept >= 2 && result.skipped == 0, "\(result)")
        #expect(try await stack.fetch(Document.sorted(by: \.id)).map(\.id) == [1, 3])
        #expect(try await stack.fetch(Line.where { $0.id < 100 }).map(\.id) == [3])
      }
      try await outbox.acknowledgeEverything()
      try await stack.withScratch { scratch in
        scratch.author = Stack.evictionAuthor
        try await scratch.delete(Slot.all)
        try await scratch.delete(Document.all)
      }
    }
  }

  /// The edit of a row that the server has removed gives way to another row of the server. The line of
  /// that row must come with it, in whatever order the feed has them.
  @Test(arguments: [true, false], [ImportOptions.Commits.batched, .atomic])
  func `a row comes with its children when an edit gives way to it`(
    _ linesFirst: Bool, _ commits: ImportOptions.Commits
  ) async throws {
    let outbox = try await stack.outbox()
    let records = [
      JSONRecords(Document.self, at: "documents", Document.json),
      JSONRecords(Line.self, at: "lines", Line.json),
    ]
    let feed = JSONDocument { linesFirst ? records.reversed() : records }
    func hear(_ documents: String, _ lines: String) async throws -> ImportResult {
      let parts = [#""documents":[\#(documents)]"#, #""lines":[\#(lines)]"#]
      let json = "{\((linesFirst ? parts.reversed() : parts).joined(separator: ","))}"
      return try await stack.importJSON(
        feed, from: .data(Data(json.utf8)), absent: .delete, options: .init { $0.commits = commits }
      )
    }
    _ = try await hear(#"{"id":2,"code":2}"#, "")
    try await stack.withScratch { $0.update(Document(id: 2, code: 2)) { $0.title = "mine" } }
    let result = try await hear(#"{"id":4,"code":2}"#, #"{"id":5,"document":4}"#)
    #expect(result.inserted == 2, "\(result)")
    #expect(try await stack.fetch(Document.all).map(\.id) == [4])
    #expect(try await stack.fetch(Line.all) == [Line(id: 5, documentID: 4)])
    #expect(try await outbox.refusals().map(\.isSetAside) == [true])
  }

  @Test func `the row comes in once the deletion is acknowledged or given up`() async throws {
    for isGivenUp in [false, true] {
      let outbox = try await stack.outbox()
      let server = Server()
      server.set()
      let feed = Feed("all", Self.feed, from: try server.request, absent: .delete)
      let refresher = server.refresher(stack)
      try await refresher.refresh(feed)
      try await edit(.newLine)
      change(server, .newLine)
      try await refresher.refresh(feed)
      try await outbox.push { _ in isGivenUp ? .refused("409") : .done }
      if isGivenUp {
        try await outbox.revert(try #require(try await outbox.refusals().first))
      }
      try await refresher.refresh(feed)
      // The server still has the document, because it has ignored the deletion.
      #expect(try await stack.find(Line.self, 12)?.text == "new")
    }
  }

  @Test func `an edit that was set aside ends like another refusal`() async throws {
    for isEdited in [false, true] {
      let outbox = try await stack.outbox()
      let server = Server()
      server.set()
      let feed = Feed("all", Self.feed, from: try server.request)
      let refresher = server.refresher(stack)
      try await refresher.refresh(feed)
      try await edit(.brokenRule)
      change(server, .brokenRule)
      try await refresher.refresh(feed)
      let refusal = try #require(try await outbox.refusals().first)
      if isEdited {
        var slot = try #require(refusal.request.value(as: Slot.self))
        slot.start = 3
        try await stack.withScratch { [slot] in $0.upsert(slot) }
        #expect(try await outbox.requests().map(\.attributes) == [["start"]])
        try await outbox.push { _ in .done }
      } else {
        #expect(try await outbox.revert(refusal))
        #expect(try await stack.find(Slot.self, 1)?.start == 1)
      }
      #expect(try await outbox.refusals().isEmpty)
    }
  }

  @Test func `a row that the server itself breaks is still an error`() async throws {
    _ = try await stack.outbox()
    for json in [
      #"{"documents":[],"lines":[{"id":1,"document":9}],"comments":[],"slots":[]}"#,
      #"{"documents":[],"lines":[],"comments":[],"slots":[{"id":1,"start":5,"end":1}]}"#,
    ] {
      await #expect(throws: ImportError.self) {
        try await stack.importJSON(Self.feed, from: .data(Data(json.utf8)))
      }
    }
  }
}
