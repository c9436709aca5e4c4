import Strata

/// The rows of a list on screen, which the updates of a live query change.
@MainActor final class Rows {
  private(set) var shown: [ToDo]
  private var updates: LiveUpdates<ToDo>.AsyncIterator

  init(_ live: LiveQuery<ToDo>) {
    shown = Array(live.elements)
    updates = live.updates.makeAsyncIterator()
  }

  /// Applies the next update to the rows.
  func next() async -> String {
    var iterator = updates
    guard let update = await iterator.next() else { return "the end" }
    updates = iterator
    update.apply(to: &shown)
    return "\(update)"
  }
}
