internal import Foundation

/// The figures of a replica's diagnostics, since its opening.
struct ReplicaCounters {
  /// The number of pulls that found rows.
  private(set) var pulls = 0
  /// The number of pushes that the server committed.
  private(set) var pushes = 0
  /// The number of times that the reading of all rows began.
  private(set) var copies = 0
  private(set) var connections = 0
  private(set) var lastPull: Date?
  private(set) var lastError: (error: ReplicaError, date: Date)?

  mutating func connected() { connections += 1 }

  mutating func pushed() { pushes += 1 }

  mutating func beganCopy() { copies += 1 }

  /// Notes a pull after which the store has a state of the server.
  mutating func pulled(found: Bool) {
    if found { pulls += 1 }
    lastPull = Date()
  }

  mutating func failed(_ error: ReplicaError) { lastError = (error, Date()) }
}
