import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Answers of contexts with unsaved edits.
///
/// One unsaved edit made `max` of 200,000 rows take 500 ms instead of 0.03 ms, because the answer was worked
/// out from every row.
@Suite(.inTurn, .stack(Posting.self, Payer.self, Sticker.self)) @MainActor
struct EditedAnswerTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  // MARK: Against a scan

  @Test func `answers under any edits are those of a scan of the rows`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<12 {
      try await stack.commit { scratch in
        for id in 0..<60 where random.oneIn(2) { scratch.upsert(random.posting(id)) }
        for id in 0..<3 { scratch.upsert(Payer(id: id, isOpen: random.oneIn(2))) }
      }
      for _ in 0..<random.below(7) { try await edit(view, &random) }
      try await compare(view, &random)
      let child = view.makeScratch()
      for _ in 0..<random.below(7) { try await edit(child, &random) }
      try await compare(child, &random)
      let scratch = stack.makeScratch()
      // The first half of the edits is made before the context has read the store.
      for _ in 0..<random.below(5) { scratch.upsert(random.posting(random.below(70))) }
      _ = try await scratch.count(Posting.all)
      try await stack.commit { $0.upsert(random.posting(random.below(60))) }
      for _ in 0..<random.below(5) { try await edit(scratch, &random) }
      try await compare(scratch, &random)
      let nested = scratch.makeScratch()
      for _ in 0..<random.below(7) { try await edit(nested, &random) }
      try await compare(nested, &random)
      if random.oneIn(2) { view.rollback() }
    }
  }

  @Test func `answers during a save are those of a scan of the rows`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<6 {
      try await stack.commit { scratch in
        for id in 0..<50 where random.oneIn(3) { scratch.upsert(random.posting(id)) }
      }
      view.upsert(random.posting(0))
      for _ in 0..<random.below(6) { try await edit(view, &random) }
      let stop = await WriterStop(stack)
      let saving = Task { try await view.save(.overwrite) }
      #expect(await eventually { !view.hasChanges })
      for _ in 0..<random.below(6) { try await edit(view, &random) }
      try await compare(view, &random)
      stop.release()
      _ = try await saving.value
      try await compare(view, &random)
      view.rollback()
    }
  }

  private func edit(_ context: some EditableSource, _ random: inout SeededRandom) async throws {
    let posting = random.posting(random.below(70))
    switch random.below(8) {
    case 0: context.delete(Posting.self, posting.id)
    case 1: context.upsert(posting)
    case 2: context.upsert(Payer(id: random.below(4), isOpen: random.oneIn(2)))
    default:
      guard let old = try await context.find(Posting.self, posting.id) else {
        return context.insert(posting)
      }
      if random.oneIn(3) { return context.delete(old) }
      // Most edits change a few attributes.
      let changes = random.below(32)
      context.update(old) { shown in
        if changes & 1 != 0 { shown.title = posting.title }
        if changes & 2 != 0 { shown.amount = posting.amount }
        if changes & 4 != 0 { (shown.weight, shown.price) = (posting.weight, posting.price) }
        if changes & 8 != 0 { (shown.day, shown.kind) = (posting.day, posting.kind) }
        if changes & 16 != 0 { shown.payerID = posting.payerID }
      }
    }
  }

  private func compare(_ source: some FetchSource, _ random: inout SeededRandom) async throws {
    let (postings, payers) = (
      try await source.fetch(Posting.all), try await source.fetch(Payer.all)
    )
    for _ in 0..<4 {
      let question = PostingQuestion(&random, isWhole: random.oneIn(2))
      let expected = question.answer(postings, payers)
      let (query, note) = (question.query, Comment("\(question)"))
      #expect(try await source.fetch(query) == expected, note)
      #expect(try await source.count(query) == expected.count, note)
      #expect(try await source.exists(query) == !expected.isEmpty, note)
      #expect(try await source.fetchKeys(query) == expected.map(\.id), note)
      #expect(try await source.fetch(query, \.day) == expected.map(\.day), note)
      try await compareValues(source, query, expected, note)
      try await compareGroups(source, query, expected, note)
      var batches: [Posting] = []
      for try await batch in source.batches(of: query, size: 5) { batches += batch }
      #expect(batches == expected, note)
    }
  }

  private func compareValues(
    _ source: some FetchSource, _ query: Query<Posting>, _ all: [Posting], _ note: Comment
  ) async throws {
    let (titles, amounts) = (all.compactMap(\.title), all.compactMap(\.amount))
    let sum = all.exactSum
    #expect(try await source.fetch(.count, of: query) == all.count, note)
    #expect(try await source.fetch(.count(\.title), of: query) == titles.count, note)
    #expect(
      try await source.fetch(.sum(\.amount), of: query) == amounts.map(Int.init).reduce(0, +), note)
    #expect(try await source.fetch(.sum(\.weight), of: query) == sum, note)
    #expect(
      try await source.fetch(.average(\.weight), of: query)
        == (all.isEmpty ? nil : sum / Double(all.count)), note)
    #expect(try await source.fetch(.min(\.amount), of: query) == amounts.min(), note)
    #expect(try await source.fetch(.max(\.amount), of: query) == amounts.max(), note)
    #expect(
      try await source.fetch(.max(\.title), of: query)
        == titles.max { ByteText($0) < ByteText($1) }, note)
    #expect(try await source.fetch(.distinctCount(\.title), of: query) == Set(titles).count, note)
    #expect(
      try await source.fetch(.distinctCount(\.price), of: query) == Set(all.map(\.price)).count,
      note)
    let (count, day, weight, kinds, total) = try await source.fetch(
      .count, .min(\.day), .max(\.weight), .distinctCount(\.kind), .sum(\.weight), of: query)
    #expect(count == all.count && day == all.compactMap(\.day).min(), note)
    #expect(weight == all.map(\.weight).max() && kinds == Set(all.map(\.kind)).count, note)
    #expect(total == sum, note)
  }

  private func compareGroups(
    _ source: some FetchSource, _ query: Query<Posting>, _ all: [Posting], _ note: Comment
  ) async throws {
    let byTitle = all.byTitle
    #expect(
      try await source.distinct(\.title, of: query).map { $0.map(ByteText.init) }
        == byTitle.map { $0.title.map(ByteText.init) }, note)
    #expect(
      try await source.distinct(\.amount, of: query)
        == (all.contains { $0.amount == nil } ? [nil] : [])
          + Set(all.compactMap(\.amount)).sorted().map(Optional.init),
      note)
    let counts = try await source.fetch(.count, of: query.grouped(by: \.title))
    #expect(
      counts.map { $0.0.map(ByteText.init) } == byTitle.map { $0.title.map(ByteText.init) }, note)
    #expect(counts.map { $0.1 } == byTitle.map(\.postings.count), note)
    let groups = try await source.fetch(
      .sum(\.weight), .max(\.day), .distinctCount(\.amount), .distinctCount(\.price),
      of: query.grouped(by: \.title).having(.count) { $0 >= 2 })
    let expected = byTitle.filter { $0.postings.count >= 2 }
    #expect(groups.count == expected.count, note)
    for (group, expected) in zip(groups, expected) {
      let rows = expected.postings
      #expect(group.0.map(ByteText.init) == expected.title.map(ByteText.init), note)
      #expect(group.1 == rows.exactSum && group.2 == rows.compactMap(\.day).max(), note)
      #expect(group.3 == Set(rows.compactMap(\.amount)).count, note)
      #expect(group.4 == Set(rows.map(\.price)).count, note)
    }
    let pairs = try await source.fetch(
      .sum(\.amount), .min(\.title), of: query.grouped(by: \.kind, \.day))
    let byPair = Dictionary(grouping: all) { Pair(kind: $0.kind, day: $0.day) }
    #expect(pairs.map { Pair(kind: $0.0.0, day: $0.0.1) } == byPair.keys.sorted(), note)
    for ((kind, day), amount, title) in pairs {
      let rows = byPair[Pair(kind: kind, day: day)] ?? []
      #expect(amount == rows.compactMap(\.amount).map(Int.init).reduce(0, +), note)
      #expect(title == rows.compactMap(\.title).min { ByteText($0) < ByteText($1) }, note)
    }
  }

  @Test func `keys that are no row numbers are left out, too`() async throws {
    try await stack.commit { scratch in
      for id in 0..<400 {
        scratch.insert(Sticker(id: "sticker \(id)", colour: "colour \(id % 7)", size: id))
      }
    }
    let scratch = stack.makeScratch()
    // More keys than a statement has parameters for a list.
    for edits in [1, 20, 300] {
      for id in 0..<edits { scratch.delete(Sticker.self, "sticker \(399 - id)") }
      scratch.upsert(Sticker(id: "sticker 0", colour: "colour 8", size: -1))
      #expect(try await scratch.fetch(.max(\.size), of: Sticker.all) == 399 - edits)
      #expect(try await scratch.fetch(.min(\.size), of: Sticker.all) == -1)
      let stickers = try await scratch.fetch(Sticker.all)
      #expect(stickers.count == 400 - edits)
      #expect(try await scratch.count(Sticker.all) == stickers.count)
      let groups = try await scratch.fetch(.count, of: Sticker.all.grouped(by: \.colour))
      let expected = Dictionary(grouping: stickers, by: \.colour)
      #expect(groups.map { $0.0 } == expected.keys.sorted())
      #expect(groups.map { $0.1 } == expected.sorted { $0.key < $1.key }.map(\.value.count))
      let start = stickers.count - 5
      let page = Sticker.sorted(by: \.size, order: .reverse).offset(start).limit(3)
      let sorted = stickers.sorted { $0.size > $1.size }
      #expect(try await scratch.fetch(page) == Array(sorted[start..<(start + 3)]))
    }
  }

  // MARK: Work

  /// Every answer here was worked out from all rows, after any unsaved edit.
  @Test(arguments: [1, 12]) func `an edit costs the rows of its own keys`(edits: Int) async throws {
    try await stack.commit { scratch in
      for id in 0..<3_000 {
        scratch.insert(Posting(id: id, title: "title \(id)", amount: Int64(id), weight: Double(id)))
      }
    }
    let scratch = stack.makeScratch()
    for posting in try await scratch.fetch(Posting.all.offset(3_000 - edits)) {
      scratch.update(posting) { ($0.amount, $0.title) = (0, "zzz") }
    }
    let most = 4 * edits + 20
    let snapshot = try await scratch.pinned()
    let greatest = try await snapshot.work {
      let value = try await scratch.fetch(.max(\.amount), of: Posting.all)
      #expect(value == Int64(2_999 - edits))
    }
    #expect(greatest.rows <= most && greatest.scannedRows <= most, "the end of an index")
    let least = try await snapshot.work {
      let value = try await scratch.fetch(.min(\.title), of: Posting.all)
      #expect(value == "title 0")
    }
    #expect(least.rows <= most && least.scannedRows <= most, "the start of an index")
    let counts = try await snapshot.work {
      let positive = Posting.where { $0.amount > 0 }
      let (count, value) = (
        try await scratch.count(positive), try await scratch.fetch(.count, of: positive)
      )
      let exists = try await scratch.exists(positive.offset(10))
      #expect(count == 2_999 - edits && value == count && exists)
    }
    #expect(counts.rows <= 3 * most && counts.scannedRows <= most, "counts read no rows")
    let pages = try await snapshot.work {
      let page = Posting.sorted(by: \.title).offset(2_990).limit(10)
      let last = try await scratch.fetch(page).last
      #expect(last?.title == "zzz")
    }
    #expect(pages.rows <= most, "the last page is read alone")
    let sums = try await snapshot.work {
      let sum = try await scratch.fetch(.sum(\.weight), of: Posting.all)
      #expect(sum == (0..<3_000).reduce(0) { $0 + Double($1) })
      let amounts = try await scratch.fetch(.distinctCount(\.amount), of: Posting.all)
      // The edited postings share one amount, which the first posting has, too.
      #expect(amounts == 3_000 - edits)
      let groups = try await scratch.fetch(.count, of: Posting.all.grouped(by: \.kind))
      #expect(groups.map { $0.1 } == [3_000])
    }
    #expect(sums.rows <= 2 * most, "SQLite adds up")
  }

  @Test func `edits of other attributes leave an answer to the store`() async throws {
    try await stack.commit { scratch in
      for id in 0..<500 { scratch.insert(Posting(id: id, title: "title \(id)", amount: Int64(id))) }
    }
    let scratch = stack.makeScratch()
    for posting in try await scratch.fetch(Posting.all.limit(100)) {
      scratch.update(posting) { $0.weight = 5 }
    }
    let statements = Lock<[String]>([])
    try await scratch.pinned().read { _, connection in
      connection.trace(countsRows: false) { ended in statements.withLock { $0.append(ended.sql) } }
    }
    let titles = try await scratch.fetch(.count, .max(\.title), of: Posting.all.grouped(by: \.kind))
    #expect(titles.map { $0.1 } == [500])
    #expect(try await scratch.fetchKeys(Posting.sorted(by: \.title)).count == 500)
    try await scratch.pinned().read { _, connection in connection.endTrace() }
    #expect(!statements.withLock(\.self).contains { $0.contains("NOT IN") })
  }
}

/// A context whose entities a test edits and reads.
@MainActor
private protocol EditableSource: FetchSource {
  func insert<E: Entity>(_ entity: E)
  func upsert<E: Entity>(_ entity: E)
  func delete<E: Entity>(_ entity: E)
  func delete<E: Entity>(_ type: E.Type, _ id: E.ID)
  @discardableResult
  func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E
}

extension ScratchContext: EditableSource {}
extension ViewContext: EditableSource {}

/// The values of two attributes by which postings are grouped, nil first.
private struct Pair: Hashable, Comparable {
  let kind: Int
  let day: Date?

  static func < (a: Pair, b: Pair) -> Bool {
    (a.kind, a.day ?? .distantPast) < (b.kind, b.day ?? .distantPast)
  }
}

extension [Posting] {
  /// The sum of the weights, rounded once.
  fileprivate var exactSum: Double {
    var sum = ExactSum()
    for posting in self { sum.add(posting.weight) }
    return sum.value
  }

  /// The postings by title, in the order of the titles, each group with the least of its spellings.
  fileprivate var byTitle: [(title: String?, postings: [Posting])] {
    let groups = Dictionary(grouping: self, by: \.title)
    let titles = groups.keys.sorted { a, b in
      guard let b else { return false }
      return a.map { $0 < b } ?? true
    }
    return titles.map { title in
      let postings = groups[title] ?? []
      return (postings.compactMap(\.title).min { ByteText($0) < ByteText($1) }, postings)
    }
  }
}

extension Snapshot {
  /// Returns the rows that statements on this snapshot's reader return and scan while `body` runs.
  fileprivate nonisolated(nonsending) func work(
    in body: nonisolated(nonsending) () async throws -> Void
  ) async throws -> (rows: Int, scannedRows: Int) {
    let work = Lock((rows: 0, scannedRows: 0))
    try await read { _, connection in
      connection.trace(countsRows: true) { ended in
        work.withLock {
          $0.rows += ended.rows
          $0.scannedRows += ended.scannedRows
        }
      }
    }
    try await body()
    try await read { _, connection in connection.endTrace() }
    return work.withLock(\.self)
  }
}
