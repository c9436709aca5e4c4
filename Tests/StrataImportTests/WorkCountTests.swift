import Foundation
import StrataTestTurns
import StrataTesting
import Testing

@testable import Strata
@testable import StrataImport

/// Compares the work that usual calls make with `Tests/Counts/work.txt`: a call that reads or writes more than
/// before shows as a difference, on a machine of any speed.
///
/// If the work is meant to change: `STRATA_COUNTS=update swift test --filter WorkCountTests`.
@MainActor @Suite(.inTurn) struct WorkCountTests {
  struct Tune: Entity, Equatable {
    var id = 0
    var title = ""
    var bpm = 0
    var albumID = 0

    static let schema = Schema<Tune>("tunes", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.bpm)
      Attribute(\.albumID)
      Index(\.albumID, \.bpm)
    }
  }

  private static let rows = 2_000
  private static let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Counts/work.txt")

  private let stack: Stack
  private var view: ViewContext { stack.viewContext }
  private var lines: [String] = []

  init() async throws {
    var options = Stack.Options()
    options.recordsStatements = true
    stack = try await Stack.temporary(Tune.self, options: options)
  }

  /// The statements of the app's rows so far, in words: other statements depend on who comes first.
  private func work() async throws -> [String: Int] {
    var sums: [String: Int] = [:]
    for statement in try await stack.diagnostics(statements: .max).statements
    where statement.sql.contains("\"tunes\"") {
      let kind = statement.sql.prefix { $0 != " " }.lowercased()
      guard ["select", "insert", "update", "delete"].contains(kind) else { continue }
      let place = (statement.isOfWriter ? "writer's " : "reader's ") + kind
      sums["\(place)s", default: 0] += statement.runs
      sums["rows of the \(place)s", default: 0] += statement.rows
      sums["rows scanned by the \(place)s", default: 0] += statement.scannedRows
    }
    return sums
  }

  /// Adds a line with the work of a call.
  ///
  /// - Parameter part: the only part to add, of a call whose batches depend on the time that they take.
  private mutating func count(
    _ name: String, _ live: LiveQuery<Tune>? = nil, only part: String? = nil,
    _ body: () async throws -> Void
  ) async throws {
    let (before, statistics) = (try await work(), live?.statistics)
    try await body()
    try await view.waitUntilMerged(stack.store.newestCommit)
    var parts = try await work().compactMap { name, sum in
      let more = sum - (before[name] ?? 0)
      return more == 0 || part.map { $0 != name } ?? false ? nil : "\(name) \(more)"
    }.sorted()
    if let live, let statistics {
      let now = live.statistics
      for (name, more) in [
        ("wakes", now.wakes - statistics.wakes), ("loads", now.loads - statistics.loads),
        ("refills", now.refills - statistics.refills),
        ("changed rows", now.maintainedChanges - statistics.maintainedChanges),
      ] where more > 0 {
        parts.append("\(name) \(more)")
      }
    }
    lines.append("\(name): \(parts.isEmpty ? "nothing" : parts.joined(separator: ", "))")
  }

  private static func tune(_ id: Int) -> Tune {
    Tune(id: id, title: "tune \(id * 7_919 % rows)", bpm: id % 97, albumID: id % 20)
  }

  @Test mutating func `the work of usual calls is as listed`() async throws {
    let (rows, stack) = (Self.rows, stack)
    let all = (0..<rows).map(Self.tune)
    try await count("W1 insert 2,000") {
      try await stack.withScratch { scratch in for tune in all { scratch.insert(tune) } }
    }
    try await count("W2 upsert 2,000, of which 1,000 are changed") {
      try await stack.withScratch { scratch in
        for var tune in all {
          if tune.id % 2 == 0 { tune.bpm += 100 }
          scratch.upsert(tune)
        }
      }
    }
    try await count("W3 fetch 2,000") { _ = try await stack.fetch(Tune.all) }
    let page = Tune.where { $0.albumID == 7 }.sorted(by: \.bpm, order: .reverse).limit(20)
    try await count("W4 a page by an index of two attributes") { _ = try await stack.fetch(page) }
    try await count("W4 a page at offset 1,000, by title") {
      _ = try await stack.fetch(Tune.sorted(by: \.title).offset(1_000).limit(20))
    }
    try await count("W5 fetch 100 by key in one call") {
      _ = try await stack.find(Tune.self, Array(0..<100))
    }
    try await counts(ofLive: page)
    try await counts(underEdits: page)
    try await count("W9 import 2,000, of which 20 are changed", only: "writer's updates") {
      let feed = (0..<rows).map { id in
        let bpm = id % 97 + (id % 2 == 0 ? 100 : 0) + (id % 100 == 0 ? 1 : 0)
        let title = "tune \(id * 7_919 % rows)"
        return #"{"id": \#(id), "title": "\#(title)", "bpm": \#(bpm), "albumID": \#(id % 20)}"#
      }.joined(separator: "\n")
      try await stack.importJSON(Tune.self, from: .data(Data(feed.utf8)), as: .lines)
    }
    try await count("update 1,000 by a query") {
      _ = try await stack.update(Tune.where { $0.id < 1_000 }, .set(\.bpm, to: 1))
    }
    try await count("delete 1,000 by a query") {
      _ = try await stack.delete(Tune.where { $0.id < 1_000 })
    }
    await stack.close()
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["STRATA_COUNTS"] == "update" {
      try text.write(to: Self.list, atomically: true, encoding: .utf8)
    }
    let listed = try String(contentsOf: Self.list, encoding: .utf8)
    for (line, expected) in zip(text.split(separator: "\n"), listed.split(separator: "\n")) {
      #expect(line == expected)
    }
    #expect(text == listed)
  }

  /// Commits and edits beside live queries.
  private mutating func counts(ofLive page: Query<Tune>) async throws {
    let (stack, view) = (stack, view)
    let live = try await loaded(page)
    try await count("W6 a save of one row") {
      view.update(Self.tune(1)) { $0.title = "one" }
      try await view.save()
    }
    try await count("W7 a commit of a shown row", live) {
      try await stack.withScratch { scratch in
        if let tune = try await scratch.fetch(page).first {
          scratch.update(tune) { $0.title = "x" }
        }
      }
    }
    try await count("W7b a commit outside of the result", live) {
      try await stack.withScratch { scratch in
        _ = scratch.update(Self.tune(8)) { $0.title = "other" }
      }
    }
    let others = (0..<200).map { number in view.live(Tune.where { $0.title == "tune \(number)" }) }
    for other in others { try await other.waitUntilLoaded() }
    try await count("W15 an edit of a shown row beside 200 live queries", live) {
      if let tune = live.elements.first { view.update(tune) { $0.title = "y" } }
    }
    let woken = others.filter { $0.statistics.wakes > 1 }.count
    lines.append("W15 other live queries woken: \(woken)")
    view.rollback()
  }

  /// Answers of a context with an unsaved edit.
  private mutating func counts(underEdits page: Query<Tune>) async throws {
    let view = view
    view.update(Self.tune(3)) { $0.bpm = 5_000 }
    try await count("an edit: the greatest bpm") {
      _ = try await view.fetch(.max(\.bpm), of: Tune.where { $0.albumID == 3 })
    }
    try await count("an edit: the count of an album") {
      _ = try await view.count(Tune.where { $0.albumID == 3 })
    }
    try await count("an edit: a page") { _ = try await view.fetch(page) }
    view.rollback()
  }

  private func loaded(_ query: Query<Tune>) async throws -> LiveQuery<Tune> {
    try await view.waitUntilMerged(stack.store.newestCommit)
    let live = view.live(query)
    try await live.waitUntilLoaded()
    return live
  }
}
