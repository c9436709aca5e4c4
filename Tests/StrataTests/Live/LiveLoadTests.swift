import StrataTestTurns
import Testing

@testable import Strata

/// The load of a live result: every state meets every event.
@Suite(.inTurn) struct LiveLoadTests {
  private enum Event: CaseIterable {
    case loaded, failed, nextLoaded, nextFailed, strange, retry, change, changeFailed, finish
  }

  /// The states of a load without a change of its query.
  ///
  /// The current query is 1, the next query is 2.
  private static var currents: [(name: String, load: LiveLoad)] {
    var loading = LiveLoad()
    loading.open(1)
    var (failed, loaded) = (loading, loading)
    _ = failed.take(1, .closed)
    _ = loaded.take(1, nil)
    var stale = loaded
    _ = stale.take(1, .closed)
    return [
      ("unopened", LiveLoad()), ("refused", LiveLoad(.closed)), ("loading", loading),
      ("failed", failed), ("loaded", loaded), ("stale", stale),
    ]
  }

  private static var all: [(name: String, load: LiveLoad)] {
    currents.flatMap { name, load in
      var (changing, refused) = (load, load)
      _ = changing.change(to: 2)
      refused.changeFailed(.closed)
      let open = [(name, load), ("\(name), changing", changing), ("\(name), refused", refused)]
      return open
        + open.map { name, load in
          var load = load
          load.finish()
          return ("\(name), finished", load)
        }
    }
  }

  @Test(arguments: Event.allCases) private func `every state meets every event`(_ event: Event) {
    for (name, old) in Self.all {
      var load = old
      let (isLoaded, isChanging) = (old.isLoaded, old.next.id != nil)
      let isOpened = old.current.id == 1
      var outcome: LiveLoad.Outcome?
      switch event {
      case .loaded: outcome = load.take(1, nil)
      case .failed: outcome = load.take(1, .closed)
      case .nextLoaded: outcome = load.take(2, nil)
      case .nextFailed: outcome = load.take(2, .closed)
      case .strange: outcome = load.take(3, nil)
      case .retry:
        let isFailed = if case .failed = old.current { !old.isFinished } else { false }
        #expect(load.retry(as: 5) == (isFailed ? 1 : nil), "\(name)")
      case .change:
        let superseded = load.change(to: 4)
        #expect(superseded == (isChanging ? 2 : nil), "\(name)")
      case .changeFailed: load.changeFailed(.closed)
      case .finish: load.finish()
      }
      if old.isFinished {
        #expect(outcome == nil || outcome == .unwanted, "\(name)")
        #expect(load.isFinished && !load.isAwaited && load.isLoaded == isLoaded, "\(name)")
        continue
      }
      let expected: LiveLoad.Outcome? =
        switch event {
        case .loaded: isOpened ? .current(isFirst: !isLoaded) : .unwanted
        case .failed: isOpened ? .failed : .unwanted
        case .nextLoaded:
          isChanging ? .replaced(isOpened ? 1 : nil, isFirst: !isLoaded) : .unwanted
        case .nextFailed: isChanging ? .changeFailed : .unwanted
        case .strange: .unwanted
        case .retry, .change, .changeFailed, .finish: nil
        }
      #expect(outcome == expected, "\(event) in \(name)")
      switch event {
      case .loaded where isOpened: #expect(load.isCurrent && load.loadError == nil, "\(name)")
      case .failed where isOpened:
        #expect(load.loadError != nil && load.isLoaded == isLoaded && !load.isCurrent, "\(name)")
      case .nextLoaded where isChanging:
        #expect(load.isCurrent && load.isUnchanging && load.current.id == 2, "\(name)")
        #expect(!load.wants(1) && load.wants(2) && load.error == nil, "\(name)")
      case .nextFailed where isChanging:
        #expect(load.error != nil && load.isLoaded == isLoaded && !load.wants(2), "\(name)")
      case .change:
        #expect(load.wants(4) && !load.wants(2) && load.isAwaited, "\(name)")
        // The shown result stays, and so does the error that says why it is old.
        #expect(load.isLoaded == isLoaded && (load.error != nil) == (name.hasPrefix("stale")))
      case .retry:
        if case .failed = old.current {
          #expect(load.loadError == nil && load.isAwaited && !load.isLoaded && !load.wants(1))
        } else {
          #expect(load.isAwaited == old.isAwaited && load.isLoaded == isLoaded, "\(name)")
        }
      case .changeFailed: #expect(load.error != nil && load.next.id == nil, "\(name)")
      case .finish: #expect(load.isFinished && !load.isAwaited && !load.isCurrent, "\(name)")
      case .loaded, .failed, .nextLoaded, .nextFailed, .strange:
        #expect(load.isLoaded == isLoaded && load.isAwaited == old.isAwaited, "\(name)")
      }
    }
  }

  @Test func `a result is opened once`() async {
    await #expect(processExitsWith: .failure) {
      var load = LiveLoad()
      load.open(1)
      load.open(2)
    }
  }
}
