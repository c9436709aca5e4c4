/// How much is kept of what somebody has not taken yet.
///
/// No bound changes what anybody sees. Stress runs give little, so that what happens beyond a bound
/// happens all the time.
package struct StoreBounds: Sendable {
  /// Change sets that wait for a subscriber before neighbours are composed.
  package var unread = 64
  /// Connections that nobody reads by and that stay open.
  package var idleReaders = 4
  /// Rows that change while a live query is loaded before it is loaded again instead.
  package var backlog = 10_000

  package init() {}
}
