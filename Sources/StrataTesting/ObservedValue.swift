public import Testing
internal import Observation

/// Expects that something observable becomes what is wanted, now or soon.
///
/// ```swift
/// let songs = view.live(Song.all)
/// view.insert(Song(title: "So What"))
/// await expect(songs.elements.map(\.title), becomes: ["So What"])
/// ```
///
/// For live queries and values, view contexts, map surfaces, and every other type that is
/// `Observable`: the value is read again when something that it was made of changes. What it was in
/// between may be skipped. If it does not become so in time, the failure lists what it was instead.
///
/// - Parameters:
///   - value: what is read, on the main actor.
///   - wanted: what it is to be equal to.
///   - limit: how long it may take; longer in a process that is busy with other tests.
///   - clock: what measures it.
///   - sourceLocation: where a failure is shown.
/// - Returns: whether it became so.
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
    // The last ones tell more than the first.
    let skipped = seen.count > 10 ? "\n  …" : ""
    let was = seen.suffix(10).map { "\n  \($0)" }.joined()
    Issue.record(
      "waited \(limit) for\n  \(wanted)\nand it was\(skipped)\(was)",
      sourceLocation: sourceLocation)
  }
  return cameInTime
}
