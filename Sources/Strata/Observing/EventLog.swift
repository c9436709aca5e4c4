internal import Foundation
internal import StrataSQLite

/// The handler of a store's events; without a handler, events cost nothing.
struct EventLog: Sendable {
  var handler: (@Sendable (StackEvent) -> Void)?

  var isUsed: Bool { handler != nil }

  func note(_ event: @autoclosure () -> StackEvent) { handler?(event()) }

  /// Returns the start of a measurement; nil without a handler.
  func start() -> ContinuousClock.Instant? { isUsed ? .now : nil }

  /// Reports an error of the disk or of SQLite; ignores all other errors.
  func noteFailure(_ error: StoreError, _ event: (StoreError) -> StackEvent) {
    if let handler, error.isOfStore { handler(event(error)) }
  }

  /// Reports a live query that cannot be run.
  ///
  /// No caller gets the error, and an empty list looks like a list without rows. So a debug build
  /// without a handler prints the event.
  func noteRefused(_ error: StoreError) {
    guard error.code == .invalidQuery else { return }
    if let handler { return handler(.queryRefused(error)) }
    #if DEBUG
      FileHandle.standardError.write(Data("Strata: \(StackEvent.queryRefused(error))\n".utf8))
    #endif
  }
}
