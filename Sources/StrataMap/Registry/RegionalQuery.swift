import Strata

/// A live query of the elements in and around the visible region.
///
/// The query reads a single region at a time. If the map shows other regions meanwhile, only the
/// last of these is read next. A read that failed is tried again when the map shows a region next.
@MainActor final class RegionalQuery<E: Entity> {
  let live: LiveQuery<E>
  private let query: @MainActor (GeoRegion) -> Query<E>
  /// The region that the live query has read, or reads first.
  private var region: GeoRegion
  private var reading: GeoRegion?
  /// The region to read next.
  private var wanted: GeoRegion?
  private let waiters = Waiters()

  init(
    _ view: ViewContext, _ visible: GeoRegion, _ query: @escaping @MainActor (GeoRegion) -> Query<E>
  ) {
    self.query = query
    region = visible.padded
    live = view.live(query(region))
  }

  /// Reads around a region that the map shows, unless the region that was read last suits it.
  func show(_ visible: GeoRegion) {
    let isFine = reading != nil || live.error == nil
    if isFine && (wanted ?? reading ?? region).suits(visible) { return }
    wanted = visible.padded
    if reading == nil { readNext() }
  }

  /// Whether a region is being read.
  var isReading: Bool { reading != nil }

  /// Waits until the region that was requested last is read, or cannot be read.
  func settle() async {
    try? await live.waitUntilLoaded()
    await waiters.waitUntilCancelled { isReading }
  }

  /// Ends reading.
  func end() {
    (reading, wanted) = (nil, nil)
    waiters.resumeAll()
  }

  private func readNext() {
    reading = wanted
    wanted = nil
    guard let reading else { return waiters.resumeAll() }
    // The caller that moves the map may have a deadline. The read of the region must not inherit
    // it.
    StoreDeadline.withNone {
      _ = Task { [weak self, live, query = query(reading)] in
        let isRead: Bool
        // The query's `error` keeps a failure, and the old result stays shown.
        do {
          try await live.change(to: query)
          isRead = true
        } catch { isRead = false }
        self?.didRead(reading, isRead)
      }
    }
  }

  private func didRead(_ read: GeoRegion, _ isRead: Bool) {
    // After `end()` the result is not needed.
    guard reading == read else { return }
    if isRead { region = read }
    readNext()
  }
}

extension GeoRegion {
  /// Returns whether a region that was read covers the visible region and is not much larger than
  /// needed.
  fileprivate func suits(_ visible: GeoRegion) -> Bool {
    let around = visible.padded
    let isTooMuch =
      width > 4 * around.width && north - south > 4 * (around.north - around.south)
    return covers(visible) && !isTooMuch
  }
}
