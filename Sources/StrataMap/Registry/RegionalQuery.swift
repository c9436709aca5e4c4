import Strata

/// A live query of what is in and around the visible region.
@MainActor final class RegionalQuery<E: Entity> {
  let live: LiveQuery<E>
  private let query: @MainActor (GeoRegion) -> Query<E>
  /// What the live query has, or is about to have.
  private var read: GeoRegion
  private var change: Task<Void, Never>?

  init(
    _ view: ViewContext, _ visible: GeoRegion, _ query: @escaping @MainActor (GeoRegion) -> Query<E>
  ) {
    self.query = query
    read = visible.padded
    live = view.live(query(read))
  }

  /// The map shows a region: reads around it unless that is there already, and not much more.
  func show(_ visible: GeoRegion) {
    let next = visible.padded
    let isTooMuch =
      read.width > 4 * next.width && read.north - read.south > 4 * (next.north - next.south)
    if read.covers(visible) && !isTooMuch { return }
    read = next
    let query = query(next)
    // A failure stays in the query's own `error`, and the old result is shown.
    change = Task { [live] in try? await live.change(to: query) }
  }

  /// Waits until what was asked for last is there, or cannot be read.
  func settle() async {
    try? await live.load()
    await change?.value
  }
}
