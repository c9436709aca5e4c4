import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A comparison, which needs at least one of its two articles.
private struct Comparison: Entity {
  var id = 0
  var firstID: Article.ID?
  var secondID: Article.ID?
  static let schema = Schema<Comparison>("comparisons", key: \.id) {
    toOne(\.firstID, Article.self, onDelete: .nullify)
    toOne(\.secondID, Article.self, onDelete: .nullify)
    Validation<Comparison>("needs an article") { $0.firstID != nil || $0.secondID != nil }
  }
}

/// A binder, whose sheets and remarks are deleted with it.
private struct Binder: Entity {
  var id = 0
  var fetched = Date(timeIntervalSinceReferenceDate: 0)
  static let schema = Schema<Binder>("binders", key: \.id) { Attribute(\.fetched) }
}

private struct Sheet: Entity {
  var id = 0
  var binderID = 0
  static let schema = Schema<Sheet>("sheets", key: \.id) {
    toOne(\.binderID, Binder.self, onDelete: .cascade)
  }
}

private struct Remark: Entity {
  var id = 0
  var sheetID = 0
  var text = ""
  static let schema = Schema<Remark>("remarks", key: \.id) {
    toOne(\.sheetID, Sheet.self, onDelete: .cascade)
    Attribute(\.text)
  }
}

@Suite(.inTurn) @MainActor struct EvictionTests {
  private let time = ManualClock()

  private func stack(_ articles: [Article] = []) async throws -> Stack {
    let stack = try await Stack.temporary(
      Article.self, Bookmark.self, Picture.self, Quotation.self, options: time.stackOptions)
    try await stack.withScratch { scratch in articles.forEach(scratch.insert) }
    time.set(1_000)
    return stack
  }

  private func ids(_ stack: Stack) async throws -> [Int] {
    try await stack.fetch(Article.all).map(\.id)
  }

  private func report(
    _ evicted: Int, referenced: Int = 0, edited: Int = 0, changed: Int = 0, commit: Int64? = 2
  ) -> EvictionReport {
    var report = EvictionReport()
    report.evicted = evicted
    report.keptReferenced = referenced
    report.keptEdited = edited
    report.keptChanged = changed
    report.commit = commit
    return report
  }

  @Test func `an eviction tells how far it is`() async throws {
    let count = RowVersion.batchSize * 2 + 3
    let stack = try await stack((1...count).map { Article($0) })
    var reported: [EvictionProgress] = []
    let report = try await stack.evict(Eviction<Article>.beyond(newest: 0, by: \.id)) {
      reported.append($0)
    }
    #expect(report.evicted == count)
    #expect(reported.map(\.done) == [count - 3 - RowVersion.batchSize, count - 3, count])
    #expect(reported.allSatisfy { $0.total == count && $0.report.evicted == $0.done })
    let nothing = try await stack.evict(Eviction<Article>.beyond(newest: 0, by: \.id)) { _ in
      Issue.record("there is nothing to tell of")
    }
    #expect(nothing.evicted == 0)
    await stack.close()
  }

  @Test func `rows older than an age go, and everybody is told`() async throws {
    let stack = try await stack([
      Article(1, 100), Article(2, 700), Article(3, 699), Article(4, 900),
    ])
    let live = try await stack.viewContext.loaded(Article.all)
    var changes = stack.changes.makeAsyncIterator()
    let report = try await stack.evict(Eviction<Article>.older(than: .seconds(300), by: \.fetched))
    #expect(report == self.report(2))
    // When the eviction returns, the view context shows its result.
    #expect(live.elements.map(\.id) == [2, 4])
    #expect(await changes.next()?.changes(of: Article.self).deleted.map(\.id).sorted() == [1, 3])
    let again = try await stack.evict(Eviction<Article>.older(than: .seconds(300), by: \.fetched))
    #expect(again == self.report(0, commit: nil))
    await stack.close()
  }

  @Test func `rows without a date never grow old`() async throws {
    var articles = (1...3).map { Article($0) }
    articles[0].read = Date(timeIntervalSinceReferenceDate: 10)
    articles[1].read = Date(timeIntervalSinceReferenceDate: 990)
    let stack = try await stack(articles)
    #expect(
      try await stack.evict(Eviction<Article>.older(than: .seconds(60), by: \.read)) == report(1))
    #expect(try await ids(stack) == [2, 3])
    await stack.close()
  }

  @Test func `the rows that a condition selects are evicted, except for the newest`() async throws {
    var articles = (1...10).map { Article($0, Double(100 - $0)) }
    for index in [0, 9] { articles[index].isDirty = true }
    let stack = try await stack(articles)
    let rule = Eviction<Article>.beyond(newest: 3, by: \.fetched).where { !$0.isDirty }
    #expect(try await stack.evict(rule) == report(5))
    #expect(try await ids(stack) == [1, 2, 3, 4, 10])
    #expect(try await stack.evict(rule).evicted == 0)
    #expect(try await stack.evict(Eviction<Article>.beyond(newest: 0, by: \.fetched)).evicted == 5)
    await stack.close()
  }

  /// Each half of a batch may be permitted, but not both together. If the eviction deleted both, it
  /// would end with `validationFailed`, and delete nothing however often it ran.
  @Test func `a part of the rows is evicted if each may go but not all together`() async throws {
    let stack = try await Stack.temporary(
      Article.self, Comparison.self, options: time.stackOptions)
    try await stack.withScratch { scratch in
      for id in 1...9 { scratch.insert(Article(id)) }
      // Comparison 1 has articles in both halves, comparison 2 in one half. Article 9 may never go.
      scratch.insert(Comparison(id: 1, firstID: 1, secondID: 8))
      scratch.insert(Comparison(id: 2, firstID: 2, secondID: 3))
      scratch.insert(Comparison(id: 3, firstID: 9, secondID: nil))
    }
    time.set(1_000)
    let rule = Eviction<Article>.older(than: .seconds(300), by: \.fetched)
    let first = try await stack.evict(rule, referenced: .followDeleteRules)
    #expect(first.evicted == 6 && first.keptReferenced == 3)
    #expect(try await ids(stack) == [1, 2, 9])
    let comparisons = try await stack.fetch(Comparison.all)
    #expect(comparisons.allSatisfy { $0.firstID != nil || $0.secondID != nil })
    await stack.close()
  }

  @Test func `rows that others refer to stay, whatever the delete rule`() async throws {
    let stack = try await stack((1...5).map { Article($0) })
    try await stack.withScratch {
      $0.insert(Bookmark(id: 1, articleID: 1))
      $0.insert(Picture(id: 1, articleID: 2))
      $0.insert(Quotation(id: 1, articleID: 3))
      $0.insert(Bookmark(id: 2, articleID: nil))
    }
    #expect(
      try await stack.evict(Eviction<Article>.beyond(newest: 0, by: \.fetched))
        == report(2, referenced: 3, commit: 3))
    #expect(try await ids(stack) == [1, 2, 3])
    #expect(try await stack.rows("SELECT articleID FROM bookmarks") == ["1", "null"])
    await stack.close()
  }

  @Test func `the delete rules run if that is wanted, and a forbidden row stays`() async throws {
    let stack = try await stack((1...600).map { Article($0) })
    try await stack.withScratch {
      $0.insert(Bookmark(id: 1, articleID: 1))
      $0.insert(Picture(id: 1, articleID: 2))
      for id in [3, 77, 555] { $0.insert(Quotation(id: id, articleID: id)) }
    }
    let evicted = try await stack.evict(
      Eviction<Article>.beyond(newest: 0, by: \.fetched), referenced: .followDeleteRules)
    #expect(evicted == report(597, referenced: 3, commit: 4))
    #expect(try await ids(stack) == [3, 77, 555])
    #expect(try await stack.rows("SELECT articleID FROM bookmarks") == ["null"])
    #expect(try await stack.rows("SELECT id FROM pictures") == [])
    await stack.close()
  }

  @Test func `rows that the view context edits stay, also while they are saved`() async throws {
    let articles = (1...7).map { Article($0) }
    let stack = try await stack(articles)
    let view = stack.viewContext
    try await stack.withScratch { $0.insert(Picture(id: 1, articleID: 6)) }
    var changes = stack.changes.makeAsyncIterator()
    // A query through a reference reads after changes of the rows it depends on. This holds the
    // merge up.
    let slow = try await view.loaded(Picture.where { $0.article.isDirty })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    view.update(articles[0]) { $0.isDirty = true }
    let saving = Task { try await view.save() }
    await gate.waitForArrivals()
    #expect(view.isSaving)
    view.update(articles[1]) { $0.title = "pending" }
    view.delete(articles[2])
    // An eviction would take the bookmark's article before the bookmark is saved.
    view.insert(Bookmark(id: 1, articleID: 4))
    // The picture would be deleted with its article.
    view.update(Picture(id: 1, articleID: 6)) { $0.caption = "mine" }
    let evicting = Task {
      try await stack.evict(
        Eviction<Article>.beyond(newest: 0, by: \.fetched), referenced: .followDeleteRules)
    }
    var deleted: [Int] = []
    while deleted.isEmpty, let commit = await changes.next() {
      deleted = commit.changes(of: Article.self).deleted.map(\.id).sorted()
    }
    #expect(deleted == [5, 7])
    await gate.open()
    #expect(try await evicting.value == report(2, edited: 5, commit: 4))
    _ = try await saving.value
    try await view.save()
    #expect(try await ids(stack) == [1, 2, 4, 6] && slow.elements.isEmpty)
    #expect(try await stack.fetch(Picture.all).map(\.caption) == ["mine"])
    #expect(try await stack.fetch(Bookmark.all).map(\.articleID) == [4])
    await stack.close()
  }

  @Test func `a row stays if something goes with what goes with it that is edited`() async throws {
    let stack = try await Stack.temporary(
      Binder.self, Sheet.self, Remark.self, options: time.stackOptions)
    time.set(1_000)
    try await stack.withScratch { scratch in
      for id in 1...2 {
        scratch.insert(Binder(id: id))
        scratch.insert(Sheet(id: id, binderID: id))
        scratch.insert(Remark(id: id, sheetID: id))
      }
    }
    stack.viewContext.update(Remark(id: 1, sheetID: 1)) { $0.text = "mine" }
    let report = try await stack.evict(
      Eviction<Binder>.older(than: .seconds(60), by: \.fetched), referenced: .followDeleteRules)
    #expect(report.evicted == 1 && report.keptEdited == 1)
    #expect(try await stack.rows("SELECT id FROM remarks") == ["1"])
    await stack.close()
  }

  @Test func `rows that are changed after the beginning stay`() async throws {
    let articles = (1...1_200).map { Article($0) }
    let stack = try await stack(articles)
    let stop = await WriterStop(stack)
    let evicting = Task {
      try await stack.evict(Eviction<Article>.older(than: .seconds(60), by: \.fetched))
    }
    await others()
    // Article 1,100 is fetched again before its batch comes.
    let wanted = Task { try await stack.commit { $0.upsert(Article(1_100, 999)) } }
    let gone = Task { try await stack.commit { $0.delete(articles[4]) } }
    await others()
    stop.release()
    let report = try await evicting.value
    _ = try await (wanted.value, gone.value)
    // The candidates may have been read before or after the two commits.
    #expect([1_198, 1_199].contains(report.evicted) && report.keptChanged <= 1)
    #expect(try await ids(stack) == [1_100])
    await stack.close()
  }

  @Test func `an eviction is cut into commits that others get in between`() async throws {
    let stack = try await stack((1...1_200).map { Article($0) })
    let report = try await stack.evict(Eviction<Article>.older(than: .seconds(60), by: \.fetched))
    #expect(report == self.report(1_200, commit: 4))
    #expect(try await ids(stack) == [])
    await stack.close()
  }

  @Test func `rows of one tree go together, the branches before the trunk`() async throws {
    // Two trees have three levels of equal age. A bookmark holds article 5.
    var articles = [Article(1), Article(2, parent: 1), Article(3, parent: 2)]
    articles += [Article(4), Article(5, parent: 4), Article(6, parent: 5)]
    articles += [Article(7, parent: 7)]
    let stack = try await stack(articles)
    try await stack.withScratch { $0.insert(Bookmark(id: 1, articleID: 5)) }
    let report = try await stack.evict(Eviction<Article>.older(than: .seconds(60), by: \.fetched))
    #expect(report.evicted == 5 && report.keptReferenced == 2)
    #expect(try await ids(stack) == [4, 5])
    await stack.close()
  }

  @Test func `cancelling stops between two batches`() async throws {
    let stack = try await stack((1...1_200).map { Article($0) })
    let stop = await WriterStop(stack)
    let evicting = Task { @MainActor in
      await failure {
        try await stack.evict(Eviction<Article>.older(than: .seconds(60), by: \.fetched))
      }
    }
    await others()
    evicting.cancel()
    stop.release()
    #expect(await evicting.value?.code == .cancelled)
    #expect(try await ids(stack).count == 1_200)
    await stack.close()
  }

  @Test func `rows go as if they had been chosen one by one`() async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<12 {
      var articles: [Article] = []
      for id in 1...60 {
        let parent = random.oneIn(3) && id > 1 ? 1 + random.below(id - 1) : nil
        articles.append(Article(id, Double(random.below(20)), parent: parent))
      }
      let stack = try await stack(articles)
      var held: Set<Int> = []
      try await stack.withScratch { scratch in
        for id in 0..<5 {
          held.insert(1 + random.below(60))
          scratch.insert(Quotation(id: id, articleID: held.max() ?? 1))
        }
      }
      let quoted = Set(try await stack.fetch(Quotation.all).map(\.articleID))
      let edited = Set((0..<5).map { _ in 1 + random.below(60) })
      for id in edited { stack.viewContext.update(articles[id - 1]) { $0.title = "edited" } }
      let count = random.below(30)
      let ranked = articles.sorted { ($0.fetched, $0.id) > ($1.fetched, $1.id) }
      var going = Set(ranked.dropFirst(count).map(\.id)).subtracting(edited).subtracting(quoted)
      let parentsOfEdits = articles.filter { edited.contains($0.id) }.compactMap(\.parentID)
      going.subtract(parentsOfEdits)
      // An article stays if an article that stays refers to it.
      while let parent = articles.first(where: { article in
        !going.contains(article.id) && article.parentID.map(going.contains) == true
      })?.parentID { going.remove(parent) }
      let report = try await stack.evict(Eviction<Article>.beyond(newest: count, by: \.fetched))
      let expected = articles.map(\.id).filter { !going.contains($0) }
      #expect(try await ids(stack) == expected)
      #expect(report.evicted == going.count)
      #expect(report.evicted + report.keptEdited + report.keptReferenced == 60 - count)
      await stack.close()
    }
  }
}
