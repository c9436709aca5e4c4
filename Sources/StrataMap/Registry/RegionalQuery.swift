import Strata

/// A live query of what is in and around the visible region.
///
/// One region is read at a time, and what the map shows meanwhile is read after it, the last region
/// alone. What cannot be read is tried again when the map next shows something.
@MainActor final class RegionalQuery<E: Entity> {
  let live: LiveQuery<E>
  private let query: @MainActor (GeoRegion) -> Query<E>
  /// What the live query has, or reads first.
  private var region: GeoRegion
  private var reading: GeoRegion?
  /// What is to be read next.
  private var wanted: GeoRegion?
  private let settling = Settling()

  init(
    _ view: ViewContext, _ visible: GeoRegion, _ query: @escaping @MainActor (GeoRegion) -> Query<E>
  ) {
    self.query = query
    region = visible.padded
    live = view.live(query(region))
  }

  /// The map shows a region: reads around it unless that is there already, and not much more.
  func show(_ visible: GeoRegion) {
    let isFine = reading != nil || live.error == nil
    if isFine && (wanted ?? reading ?? region).suits(visible) { return }
    wanted = visible.padded
    if reading == nil { readNext() }
  }

  /// Whether what the map shows is still being read.
  var isReading: Bool { reading != nil }

  /// Waits until what was asked for last is there, or cannot be read.
  func settle() async {
    try? await live.load()
    while isReading && !Task.isCancelled { await settling.wait { isReading } }
  }

  /// Nothing more is read.
  func end() {
    (reading, wanted) = (nil, nil)
    settling.resumeAll()
  }

  private func readNext() {
    reading = wanted
    wanted = nil
    guard let reading else { return settling.resumeAll() }
    // Whoever moves the map may be in a hurry; what it shows has no deadline.
    StoreDeadline.withNone {
      _ = Task { [weak self, live, query = query(reading)] in
        let isRead: Bool
        // A failure stays in the query's own `error`, and the old result is shown.
        do {
          try await live.change(to: query)
          isRead = true
        } catch { isRead = false }
        self?.didRead(reading, isRead)
      }
    }
  }

  private func didRead(_ read: GeoRegion, _ isRead: Bool) {
    // Nobody waits for it after the end.
    guard reading == read else { return }
    if isRead { region = read }
    readNext()
  }
}

extension GeoRegion {
  /// Whether a region that was read has what the map shows, and not much more than is around it.
  fileprivate func suits(_ visible: GeoRegion) -> Bool {
    let around = visible.padded
    let isTooMuch =
      width > 4 * around.width && north - south > 4 * (around.north - around.south)
    return covers(visible) && !isTooMuch
  }
}
