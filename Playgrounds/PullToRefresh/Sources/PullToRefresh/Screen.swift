import Strata

/// The list that a user would see. The updates of a live query change it, and nothing is fetched
/// again.
@MainActor final class Screen {
  private let articles: LiveQuery<Article>
  private var rows: [Article] = []

  init(_ articles: LiveQuery<Article>) {
    self.articles = articles
    Task { for await update in articles.updates { apply(update) } }
  }

  private func apply(_ update: LiveUpdate<Article>) {
    let old = rows
    update.apply(to: &rows)
    if update.isReset { return print("  screen  \(rows.count) rows") }
    for offset in update.deletions { print("  screen  − \(old[offset].title)") }
    for offset in update.insertions.prefix(3) { print("  screen  + \(rows[offset].title)") }
    if update.insertions.count > 3 { print("  screen  + \(update.insertions.count - 3) more") }
    for edit in update.edits { print("  screen  ~ \(rows[edit.offset].title)") }
  }

  /// Returns when the list shows the elements of the live query, which takes a turn of the main
  /// actor.
  func settled() async {
    while rows != Array(articles.elements) { await Task.yield() }
  }
}
