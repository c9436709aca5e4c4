internal import Foundation

extension StoredState {
  /// Notes the database of a pull.
  ///
  /// - Throws: ``ReplicaError`` with code `anotherDatabase` if the store has the rows of another one.
  mutating func recognise(_ database: UUID?) throws(ReplicaError) {
    guard let database else { return }
    if let known = self.database, known != database {
      throw ReplicaError(
        .anotherDatabase, "the server is another database than the one whose rows the store has",
        advice: "connect to the former database, or call adoptDatabase() if this one is meant")
    }
    self.database = database
  }
}
