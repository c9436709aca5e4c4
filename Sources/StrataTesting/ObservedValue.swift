public import Testing
internal import Observation

/// Expects that an observable value becomes equal to a wanted value, at once or soon.
///
/// ```swift
/// let songs = view.live(Song.all)
/// view.insert(Song(title: "So What"))
/// await expect(songs.elements.map(\.title), becomes: ["So What"])
/// ```
///
/// The function is for live queries and values, view contexts, map surfaces, and every other type
/// that is `Observable`. It reads the value again when a property that the value depends on
/// changes, and may skip values in between. If the value does not become equal in time, the failure
/// lists its earlier values.
///
/// - Parameters:
///   - value: the value, which is read on the main actor.
///   - wanted: the value to become equal to.
///   - limit: the maximum time to wait; longer in a process that is busy with other tests.
///   - clock: the clock that measures the limit.
///   - sourceLocation: the location at which a failure is shown.
/// - Returns: whether the value became equal to `wanted`.
@MainActor @discardableResult
public func expect<Value: Equatable>(
  _ value: @autoclosure @MainActor () -> Value, becomes wanted: Value,
  within limit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
  sourceLocation: SourceLocation = #_sourceLocation
) async -> Bool {
  var seen: [Value] = []
  let cameInTime = await Patience(limit, clock).wait { changed in
    let now = withObservationTracking {
      value()
    } onChange: {
      changed()
    }
    if now != seen.last { seen.append(now) }
    return now == wanted
  }
  if !cameInTime {
    // The last values tell more than the first.
    let skipped = seen.count > 10 ? "\n  …" : ""
    let was = seen.suffix(10).map { "\n  \($0)" }.joined()
    Issue.record(
      "waited \(limit) for\n  \(wanted)\nand it was\(skipped)\(was)",
      sourceLocation: sourceLocation)
  }
  return cameInTime
}
