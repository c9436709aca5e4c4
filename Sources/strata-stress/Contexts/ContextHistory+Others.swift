import Foundation
import Strata
import StrataImport

// The parts of a history outside the view context: workers, a second stack on the file, imports,
// suspensions.

extension ContextHistory {
  func beginWorker() async throws {
    if workers.count >= 4 { return }
    let number = counts["workers", default: 0]
    counts["workers"] = number + 1
    let parents = workers.filter { $0.depth < 3 }
    switch random.below(4) {
    case 0:
      workers.append(
        ContextWorker(
          view.makeScratch(), .view, ReadRows(states[view.commit]),
          viewLayers.map { PlainLevel(layer: $0) }, name: "sheet \(number)"))
    case 1 where !parents.isEmpty:
      workers.append(random.pick(parents).child(number))
    default:
      workers.append(
        ContextWorker(stack.makeScratch(), .store, ReadRows(nil), [], name: "worker \(number)"))
    }
    log.add("\(workers[workers.count - 1].name) begins")
  }

  func actElsewhere() async throws {
    switch random.below(7) {
    case 0..<3: try await commitElsewhere()
    case 3: try await importBooks()
    case 4: try await reorder()
    case 5: try await evict()
    default: try await suspend()
    }
  }

  /// Commits through a second stack on the same file.
  func commitElsewhere() async throws {
    try await finishSave()
    let scratch = second.makeScratch()
    var layer = PlainLayer()
    for _ in 0...random.below(2) {
      let key = random.key(of: .books)
      if let book = try await scratch.find(Book.self, key) {
        if random.oneIn(4) {
          scratch.delete(book)
          layer.edit(.books, key, from: book.row, to: nil)
          continue
        }
        let row = random.changed(book.row, of: .books)
        scratch.update(book) { $0 = Book(key: key, row) }
        if row != book.row { layer.edit(.books, key, from: book.row, to: row) }
      } else {
        let row = random.row(of: .books)
        scratch.upsert(Book(key: key, row))
        layer.upsert(.books, key, row)
      }
    }
    let edits = (layer.edits[.books] ?? [:]).sorted { $0.key < $1.key }.map {
      "\($0.key): \($0.value)"
    }
    note("another stack commits \(edits)", "foreign")
    if layer.isEmpty { return }
    let outcome = current.saving(layer, .error)
    var commit: Int64?
    let code = try await code { commit = try await scratch.save() }
    try didSave(layer, .error, outcome, commit: commit, code)
  }

  /// Imports a feed with one attribute of a few books.
  func importBooks() async throws {
    try await finishSave()
    var rows = current
    var records: [String] = []
    for key in Set((0...random.below(3)).map { _ in random.key(of: .books) }).sorted() {
      let first = random.below(3)
      var row = rows[.books, key] ?? [0, 0, nil, nil]
      row[0] = first
      rows[.books, key] = row
      records.append("{\"id\":\(key),\"first\":\(first)}")
    }
    let json = "[\(records.joined(separator: ","))]"
    note("an import of \(json)", "imports")
    try await stack.importJSON(Book.self, from: .data(Data(json.utf8)))
    advance(to: rows)
  }

  /// Evicts the loans with the least keys, except for those that the view context has edited.
  func evict() async throws {
    try await finishSave()
    let count = random.below(3)
    var rows = current
    let old = rows.rows(.loans).keys.sorted(by: >).dropFirst(count)
    let evicted = old.filter { pending.edits[.loans]?[$0] == nil }
    for key in evicted { rows[.loans, key] = nil }
    note("an eviction of the loans \(evicted)", "evictions")
    let report = try await stack.evict(.beyond(newest: count, by: \Loan.id))
    try require(
      report.evicted == evicted.count && report.keptEdited == old.count - evicted.count,
      "\(report) of the loans \(Array(old))")
    advance(to: rows)
    if evicted.isEmpty { return }
    try require(view.commit == newest, "the view context is at \(view.commit) of \(newest)")
  }

  /// Suspends the stack while a child saves into the view context.
  private func suspendChild(_ child: ContextWorker) async throws {
    note("\(child.name) saves while the stack is suspended", "suspendedChildren")
    let saving = Task { try await child.save(self) }
    for _ in 0..<random.below(6) { await Task.yield() }
    await stack.suspend()
    for worker in workers { worker.didSuspend() }
    for _ in 0..<random.below(6) { await Task.yield() }
    try await stack.resume()
    try await saving.value
  }

  /// Suspends the stack. Meanwhile the history edits the view context and commits through the other
  /// stack.
  func suspend() async throws {
    try await finishSave()
    if random.oneIn(2), let child = workers.first(where: { $0.parent == .view }) {
      return try await suspendChild(child)
    }
    note("the stack is suspended", "suspensions")
    await stack.suspend()
    for worker in workers { worker.didSuspend() }
    for _ in 0..<random.below(3) { try editView() }
    try screen.check(self)
    for _ in 0..<random.below(3) { try await commitElsewhere() }
    try screen.check(self)
    try await stack.resume()
    log.add("the stack is resumed")
    try require(view.commit == newest, "the view context resumes at \(view.commit) of \(newest)")
  }

  /// Links a topic with a book at a position among its books, or unlinks it.
  ///
  /// The edit goes through the view context or a scratch context. It is saved or rolled back.
  func reorder() async throws {
    try await finishSave()
    try await view.waitUntilMerged(newest)
    guard let topic = current.rows(.topics).keys.sorted().randomElement(using: &random),
      let book = current.rows(.books).keys.sorted().randomElement(using: &random)
    else { return }
    var rows = current
    var order = rows.readings[topic] ?? []
    let isUnlinked = random.oneIn(4)
    order.removeAll { $0 == book }
    let index = random.below(order.count + 1)
    if !isUnlinked { order.insert(book, at: index) }
    rows.readings[topic] = order
    note("topic \(topic) reads \(order)", "reordered")
    var commit = newest
    if pending.isEmpty && random.oneIn(2) {
      if isUnlinked {
        view.unlink(topic, from: book, in: Topic.reading)
      } else {
        let ends = (try await view.find(Topic.self, topic), try await view.find(Book.self, book))
        guard let topic = ends.0, let book = ends.1 else {
          throw Contradiction(description: "the ends of a link are not shown")
        }
        try await view.link(topic, to: book, at: index, in: Topic.reading)
      }
      // A live query of links shows saved links. A fetch shows the edit, too.
      let shown = try await view.fetch(Topic.reading(of: topic)).map(\.id)
      try require(shown == order, "the view context reads \(shown), not \(order)")
      if random.oneIn(4) { return rollback() }
      commit = try await view.save()
      hasFailed = false
    } else {
      let scratch = random.oneIn(2) ? stack.makeScratch() : second.makeScratch()
      if isUnlinked {
        scratch.unlink(topic, from: book, in: Topic.reading)
      } else {
        let ends = (
          try await scratch.find(Topic.self, topic), try await scratch.find(Book.self, book)
        )
        guard let topic = ends.0, let book = ends.1 else {
          throw Contradiction(description: "the ends of a link are not found")
        }
        try await scratch.link(topic, to: book, at: index, in: Topic.reading)
      }
      commit = try await scratch.save()
    }
    // A new position between the same neighbours is a commit, too.
    advance(to: rows, isCommitted: commit == newest + 1)
    try require(commit == newest, "commit \(commit), not \(newest)")
  }
}
