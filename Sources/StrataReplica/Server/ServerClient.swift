package import Foundation
package import Strata

/// The last push of a replica that a server has made.
package struct ServerClient: Sendable, Equatable {
  /// The number of the push; 0 before the first.
  package var lastPush: Int64
  /// The token of the push; nil before the first.
  package var token: UUID?
  /// The edits of the push that the server did not make.
  package var verdicts: [ServerVerdict]

  package init(lastPush: Int64, token: UUID?, verdicts: [ServerVerdict]) {
    self.lastPush = lastPush
    self.token = token
    self.verdicts = verdicts
  }
}
