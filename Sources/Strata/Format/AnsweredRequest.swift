/// The request that a task is sending.
///
/// A row that the task imports with the request's key is the server's answer.
struct AnsweredRequest: Sendable {
  /// The request of the current task; nil outside of a push.
  @TaskLocal static var current: AnsweredRequest?

  let table: Table
  let key: RecordKey

  init(_ request: PushRequest) { (table, key) = (request.table, request.key) }

  /// Returns whether the request is one of a store, whose model no other store has.
  func isOf(_ model: Model) -> Bool { model.tables.contains { $0 === table } }

  func isFor(_ table: Table, _ key: RecordKey) -> Bool { self.table === table && self.key == key }
}
