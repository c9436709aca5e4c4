import Foundation
import Strata

extension Workload {
  /// Deletions by a query, whose rows no context needs.
  static let delete = Workload(
    name: "W2d",
    summary: "delete all of 200,000 messages with full text, and every second, by a query"
  ) { bench in
    let count = 200_000
    let store = try await MessageStore(bench, messages: count)
    defer { store.remove(bench) }
    return try await delete("all ms", Message.all, "", left: 0, store, bench)
      + delete(
        "every second ms", Message.where { $0.id % 2 == 0 }, " WHERE id % 2 = 0",
        left: count / 2, store, bench)
  }

  @MainActor
  private static func delete(
    _ metric: String, _ query: Query<Message>, _ condition: String, left: Int,
    _ store: MessageStore, _ bench: Bench
  ) async throws -> [Figure] {
    func copy(_ template: URL) throws -> URL {
      let url = bench.newFile("sqlite")
      try FileManager.default.copyItem(at: template, to: url)
      return url
    }
    return try await bench.compare([metric]) {
      let url = try copy(store.ours)
      defer { bench.remove(url) }
      let stack = try await Stack.open(Message.self, at: url)
      let watch = Stopwatch()
      try await stack.delete(query)
      let time = watch.milliseconds
      try check(try await stack.count(Message.all) == left, "the messages that Strata left")
      let found = try await stack.count(Message.all.matching("word1"))
      try check(found > 0 || left == 0, "the words that Strata left")
      await stack.close()
      return [time]
    } raw: {
      let url = try copy(store.raw)
      defer { bench.remove(url) }
      let raw = try RawConnection(url.path)
      let watch = Stopwatch()
      try raw.transaction {
        // The index does not keep the texts, so it is told which words to remove.
        try raw.execute(
          "INSERT INTO words (words, rowid, text) SELECT 'delete', id, text FROM messages"
            + condition)
        try raw.execute("DELETE FROM messages\(condition)")
      }
      let time = watch.milliseconds
      let rows = try raw.prepare("SELECT count(*) FROM messages")
      try check(try rows.step() && rows.integer(0) == left, "the messages that SQLite left")
      rows.reset()
      try raw.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
      return [time]
    }
  }
}

/// The message of W2d: a text of twelve words with an index of its words.
private struct Message: Entity {
  var id = 0
  var conversationID = 0
  var text = ""
  var sentAt = 0.0

  static let schema = Schema<Message>("messages", key: \.id) {
    Attribute(\.conversationID).indexed()
    Attribute(\.text).fullText()
    Attribute(\.sentAt)
  }

  init() {}

  /// Makes the message with a given key, which is the same in every run.
  init(number: Int) {
    id = number
    var bits = UInt64(number).mixed
    conversationID = Int(bits % 1_000)
    sentAt = Double(number)
    text = (0..<12).map { _ in
      bits = bits.mixed
      // Few words are frequent, and many are rare.
      return "word\(bits % (UInt64(1) << (4 + bits >> 60)))"
    }.joined(separator: " ")
  }
}

/// The files of W2d: Strata's store, and the same rows with an index of SQLite's own tokenizer.
///
/// Strata's tokenizer is known only to its own connections.
@MainActor
private struct MessageStore {
  let ours: URL
  let raw: URL

  init(_ bench: Bench, messages: Int) async throws {
    (ours, raw) = (bench.newFile("sqlite"), bench.newFile("sqlite"))
    let connection = try RawConnection(raw.path)
    try connection.execute(
      """
      CREATE TABLE messages (id INTEGER PRIMARY KEY NOT NULL, conversationID INTEGER NOT NULL,
        text TEXT NOT NULL, sentAt REAL NOT NULL);
      CREATE INDEX conversations ON messages (conversationID);
      CREATE VIRTUAL TABLE words USING fts5(text, content = 'messages', content_rowid = 'id');
      """)
    let row = try connection.prepare("INSERT INTO messages VALUES (?, ?, ?, ?)")
    let words = try connection.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)")
    let stack = try await Stack.open(Message.self, at: ours)
    for start in stride(from: 1, through: messages, by: 10_000) {
      let portion = (start..<min(start + 10_000, messages + 1)).map(Message.init(number:))
      try await stack.withScratch { scratch in
        for message in portion { scratch.insert(message) }
      }
      try connection.transaction {
        for message in portion {
          row.bind(1, message.id)
          row.bind(2, message.conversationID)
          row.bind(3, message.text)
          row.bind(4, message.sentAt)
          try row.run()
          words.bind(1, message.id)
          words.bind(2, message.text)
          try words.run()
        }
      }
    }
    await stack.close()
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func remove(_ bench: Bench) {
    bench.remove(ours)
    bench.remove(raw)
  }
}
