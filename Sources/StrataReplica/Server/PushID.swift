package import Foundation

/// The number of a push, and the token that tells it from a push of another store under this number.
package struct PushID: Sendable, Equatable, Codable {
  package let number: Int64
  package let token: UUID

  package init(number: Int64, token: UUID) {
    self.number = number
    self.token = token
  }
}
