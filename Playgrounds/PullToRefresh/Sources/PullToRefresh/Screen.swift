import Strata

/// The list that a user would see. The updates of a live query change it, and nothing is fetched
/// again.
@MainActor final class Screen {
  private let articles: LiveQuery<Article>
  private var rows: [Article]
  private var log: [String] = []

  init(_ articles: LiveQuery<Article>) {
    self.articles = articles
    rows = Array(articles.elements)
    Task { [updates = articles.updates] in for await update in updates { apply(update) } }
  }

  /// Returns the changes of the list since the last call.
  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  /// Returns when the list shows the elements of the live query, which takes a turn of the main
  /// actor.
  func settled() async {
    while rows != Array(articles.elements) { await Task.yield() }
  }

  private func apply(_ update: LiveUpdate<Article>) {
    let old = rows
    update.apply(to: &rows)
    if update.isReset { return log.append("\(rows.count) rows") }
    note(update.deletions.map { old[$0].title }, "−")
    note(update.insertions.map { rows[$0].title }, "+")
    log += update.edits.map { "~ \(rows[$0.offset].title)" }
  }
  private func note(_ titles: [String], _ sign: String) {
    log += titles.prefix(3).map { "\(sign) \($0)" }
    if titles.count > 3 { log.append("\(sign) \(titles.count - 3) more") }
  }
}
