import Observation

/// Reads something observable as a SwiftUI view does: again only after it was told of a change.
@MainActor final class Observer<Value: Equatable> {
  private let read: @MainActor () -> Value
  private var last: Value
  private var isTold = false
  private(set) var reads = 0

  init(_ read: @escaping @MainActor () -> Value) {
    self.read = read
    last = read()
    look()
  }

  /// What the view shows.
  var value: Value {
    if isTold { look() }
    return last
  }

  /// Whether that is what it would read if it read without being told.
  var isUpToDate: Bool { value == read() }

  private func look() {
    isTold = false
    reads += 1
    last = withObservationTracking(read) { [weak self] in
      MainActor.assumeIsolated { self?.isTold = true }
    }
  }
}
