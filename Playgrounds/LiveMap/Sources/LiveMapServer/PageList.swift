import Strata

/// The list of a page: the updates of a live query, as differences of the visible rows.
///
/// The next update is taken when the page has shown the last. Meanwhile the live query composes its
/// updates.
@MainActor final class PageList {
  private let updates: LiveUpdates<Sighting>
  private let send: @Sendable (Event) -> Void
  private let (shown, didShow) = AsyncStream.makeStream(of: Void.self)
  private var window = RowWindow()
  /// The number of events that the page has not shown.
  private var underWay = 0
  /// The number of updates of the live query, sent or not.
  private(set) var updateCount = 0

  /// - Parameter live: not loaded yet, so that the updates begin with all elements.
  init(_ live: LiveQuery<Sighting>, send: @escaping @Sendable (Event) -> Void) {
    updates = live.updates(every: .milliseconds(100))
    self.send = send
  }

  /// Sends the differences of every update until the task is cancelled.
  ///
  /// - Parameter body: called after each update.
  func follow(_ body: @MainActor () -> Void) async {
    for await update in updates {
      updateCount += 1
      offer(window.follow(update))
      body()
      while underWay > 0 && !Task.isCancelled {
        for await _ in shown { break }
      }
    }
  }

  /// Shows other rows at once, as of the last update.
  func show(from: Int, count: Int) { offer(window.show(from: from, count: count)) }

  /// The sightings of the visible rows.
  var visible: [Sighting] { window.visible }

  func wasShown() {
    underWay = max(0, underWay - 1)
    didShow.yield()
  }

  private func offer(_ event: Event?) {
    guard let event else { return }
    underWay += 1
    send(event)
  }
}
