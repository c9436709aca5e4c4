import Strata
import StrataTestTurns
import Testing

@testable import StrataMap

/// The requests of a cluster display: every state meets every event.
@Suite(.inTurn) struct ClusterRequestsTests {
  private enum Event: CaseIterable { case want, turn, sameView, otherView, next, answer, end }

  private static let world = GeoRegion(south: -90, west: -180, north: 90, east: 180)

  private static func answer(_ request: ClusterActor.Request) -> ClusterActor.Answer {
    ClusterActor.Answer(generation: request.generation, version: request.version)
  }

  /// A machine in every state, with the request that it has made.
  private static var all: [(requests: ClusterRequests, request: ClusterActor.Request)] {
    var away = ClusterRequests()
    _ = away.show(world, zoom: 3)
    let request = away.next(displayed: [:])!
    var (idle, over) = (away, away)
    idle.didShow(answer(request))
    over.end()
    return [(idle, request), (away, request), (over, request)]
  }

  @Test(arguments: Event.allCases) private func `every state meets every event`(_ event: Event) {
    for (old, request) in Self.all {
      var requests = old
      var made: ClusterActor.Request?
      var isOtherView: Bool?
      switch event {
      case .want: requests.want(key(1), nil)
      case .turn: requests.turnEnded()
      case .sameView: isOtherView = requests.show(Self.world, zoom: 3)
      case .otherView: isOtherView = requests.show(Self.world, zoom: 8)
      case .next: made = requests.next(displayed: [:])
      case .answer: requests.didShow(Self.answer(request))
      case .end: requests.end()
      }
      #expect(made == nil && (isOtherView ?? (event == .otherView)) == (event == .otherView))
      let expected: ClusterRequests.State =
        switch (old.state, event) {
        case (.over, _), (_, .end): .over
        case (.away, .answer): .idle
        case (let state, _): state
        }
      #expect(requests.state == expected, "\(event) in \(old.state)")
      // A want or another view makes a request due.
      var later = requests
      let next = later.next(displayed: [:])
      let isDue = expected == .idle && [.want, .otherView].contains(event)
      #expect((next != nil) == isDue && (later.state == .away) == (isDue || expected == .away))
    }
  }

  @Test func `an answer to an earlier view leaves the displayed moment`() {
    var requests = ClusterRequests()
    _ = requests.show(Self.world, zoom: 3)
    let first = requests.next(displayed: [:])!
    _ = requests.show(Self.world, zoom: 8)
    #expect(!requests.isWanted(Self.answer(first)))
    requests.didShow(Self.answer(first))
    #expect(requests.shown.isBefore(requests.now))
    let second = requests.next(displayed: [:])!
    requests.didShow(Self.answer(second))
    #expect(requests.shown == requests.now)
  }

  @Test func `changes during a request are in the next one`() {
    var requests = ClusterRequests()
    requests.want(key(1), nil)
    requests.turnEnded()
    let first = requests.next(displayed: [:])!
    requests.want(key(2), nil)
    requests.turnEnded()
    let second = requests.next(displayed: [:])
    #expect(second == nil)
    requests.didShow(Self.answer(first))
    #expect(requests.shown.version == 1)
    var keys: [RecordKey] = []
    for batch in requests.next(displayed: [:])!.batches {
      batch.forEach { key, _ in keys.append(key) }
    }
    #expect(keys == [key(2)])
  }
}
