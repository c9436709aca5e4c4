import Observation

/// A reader of an observable value, which reads again only after a change, as a SwiftUI view does.
@MainActor final class Observer<Value: Equatable> {
  private let read: @MainActor () -> Value
  private var last: Value
  private var isReported = false
  private(set) var reads = 0

  init(_ read: @escaping @MainActor () -> Value) {
    self.read = read
    last = read()
    look()
  }

  /// The value that the view shows.
  var value: Value {
    if isReported { look() }
    return last
  }

  /// Whether the shown value is the current value.
  var isUpToDate: Bool { value == read() }

  private func look() {
    isReported = false
    reads += 1
    last = withObservationTracking(read) { [weak self] in
      MainActor.assumeIsolated { self?.isReported = true }
    }
  }
}
