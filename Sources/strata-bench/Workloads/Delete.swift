import Foundation
import Strata

extension Workload {
  /// Deletions by a query, whose rows no context needs.
  static let delete = Workload(
    name: "W15",
    summary: "delete all of 200,000 messages with full text, and every second, by a query"
  ) { bench in
    let count = 200_000
    let template = try await MessageStore.make(bench, messages: count)
    defer { bench.remove(template) }
    return try await delete("all ms", Message.all, "", left: 0, template, bench)
      + delete(
        "every second ms", Message.where { $0.id % 2 == 0 }, " WHERE id % 2 = 0",
        left: count / 2, template, bench)
  }

  @MainActor
  private static func delete(
    _ metric: String, _ query: Query<Message>, _ condition: String, left: Int, _ template: URL,
    _ bench: Bench
  ) async throws -> [Figure] {
    func copy() throws -> URL {
      let url = bench.newFile("sqlite")
      try FileManager.default.copyItem(at: template, to: url)
      return url
    }
    return try await bench.compare([metric]) {
      let url = try copy()
      defer { bench.remove(url) }
      let stack = try await Stack.open(Message.self, at: url)
      let watch = Stopwatch()
      try await stack.delete(query)
      let time = watch.milliseconds
      await stack.close()
      try MessageStore.verify(url, left: left)
      return [time]
    } raw: {
      let url = try copy()
      defer { bench.remove(url) }
      let raw = try RawConnection(url.path)
      let watch = Stopwatch()
      try raw.transaction {
        // The index does not keep the texts, so it is told which words to remove.
        try raw.execute(
          "INSERT INTO \(MessageStore.index) (\(MessageStore.index), rowid, text) "
            + "SELECT 'delete', id, text FROM messages\(condition)")
        try raw.execute("DELETE FROM messages\(condition)")
      }
      let time = watch.milliseconds
      try MessageStore.verify(url, left: left)
      return [time]
    }
  }
}

/// The message of W15: a text of twelve words with an index of its words.
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

/// The store of W15.
@MainActor
private enum MessageStore {
  /// The full-text index that Strata creates.
  static let index = #""strata_text.""messages""""#

  static func make(_ bench: Bench, messages: Int) async throws -> URL {
    let url = bench.newFile("sqlite")
    let stack = try await Stack.open(Message.self, at: url)
    for start in stride(from: 1, through: messages, by: 10_000) {
      try await stack.withScratch { scratch in
        for number in start..<min(start + 10_000, messages + 1) {
          scratch.insert(Message(number: number))
        }
      }
    }
    await stack.close()
    return url
  }

  /// Throws unless the file has so many messages, and the index exactly their words.
  static func verify(_ url: URL, left: Int) throws {
    let raw = try RawConnection(url.path)
    let rows = try raw.prepare("SELECT count(*) FROM messages")
    try check(try rows.step() && rows.integer(0) == left, "the number of messages that are left")
    rows.reset()
    try raw.execute("INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
  }
}
