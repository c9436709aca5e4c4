/// An event after which the store may lack a part of what a feed has given.
///
/// Validators are written only by an import that left nothing out, and every later event that takes away
/// what a feed has given forgets them. Then the next refresh asks without validators. With them, the
/// server would answer "not modified" for good, and the part would stay away.
///
/// The cases are the rows of the table in the article *Pull to refresh*. A test compares the two.
package enum FeedLoss: String, CaseIterable, Sendable {
  case refusedRecord = "an import leaves out a refused record"
  case keptRow = "an import leaves a row as it is"
  case keptValue = "an import leaves out a value"
  case unknownValue = "an import writes the value for unknown ones"
  case looseLink = "an import drops a link to a row that does not exist, and the link cannot wait"
  case ruleEffect = "an import deletes a row, and a delete rule changes other rows of its feed"
  case doubtfulAnswer = "an import reads an answer that may lack records"
  case deletion = "an import deletes a row"
  case otherFeed = "an import of a feed inserts or updates a row"
  case message = "an import that is no refresh inserts or updates a row"
  case push = "the server does a request of the outbox"
  case eviction = "a row is evicted, by any rule"
  case pull = "a pull of a replica deletes a row"
  case reversal = "an edit that waits is given up"
  case migration = "the store is migrated"

  /// The feeds whose validators do not hold any more.
  package enum Scope: String, Sendable {
    /// The feed of the import, which then writes no validators.
    case own = "not written"
    case others = "forgotten for every other feed"
    case othersOfWholeEntity =
      "forgotten for every other feed that deletes all absent rows of the entity"
    case allOfEntity = "forgotten for every feed of the entity"
    case all = "forgotten for every feed"
  }

  package var scope: Scope {
    switch self {
    case .refusedRecord, .keptRow, .keptValue, .unknownValue, .looseLink, .ruleEffect,
      .doubtfulAnswer:
      .own
    case .deletion: .others
    case .otherFeed: .othersOfWholeEntity
    case .message, .push: .allOfEntity
    case .eviction, .pull, .reversal, .migration: .all
    }
  }
}
