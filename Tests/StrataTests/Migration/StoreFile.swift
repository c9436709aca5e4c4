import Foundation

@testable import Strata
@testable import StrataSQLite

/// A store's file, which one version of a program after the other opens.
final class StoreFile: Sendable {
  private let temporary: TemporaryFolder
  let path: String
  var folder: String { temporary.path }
  var url: URL { URL(fileURLWithPath: path) }

  init() throws {
    temporary = try TemporaryFolder()
    path = temporary.path + "/store.sqlite"
  }

  deinit { temporary.remove() }

  /// Opens the store with a list of entities, calls `body` with the stack and closes the stack.
  nonisolated(nonsending) func open(
    _ entities: any Entity.Type..., version: Int = 1,
    options edit: (inout Stack.Options) -> Void = { _ in },
    _ body: nonisolated(nonsending) (Stack) async throws -> Void
  ) async throws {
    var options = Stack.Options()
    options.schemaVersion = version
    edit(&options)
    let stack = try await Stack.open(entities, at: url, options: options)
    do {
      try await body(stack)
      await stack.close()
    } catch {
      await stack.close()
      throw error
    }
  }

  /// Opens the store once and inserts the entities.
  nonisolated(nonsending) func make<E: Entity>(_ entities: [E], version: Int = 1) async throws {
    try await open(E.self, version: version) { stack in
      try await stack.withScratch { scratch in for entity in entities { scratch.insert(entity) } }
    }
  }

  /// Opens the store and returns the plan of its migration, or the error.
  nonisolated(nonsending) func migrate(
    _ entities: any Entity.Type..., version: Int = 1,
    options edit: (inout Stack.Options) -> Void = { _ in }
  ) async -> Result<MigrationPlan, StoreError> {
    var options = Stack.Options()
    options.schemaVersion = version
    edit(&options)
    do {
      let stack = try await Stack.open(entities, at: url, options: options)
      let plan = stack.migration
      await stack.close()
      return .success(plan)
    } catch let error as StoreError {
      return .failure(error)
    } catch {
      preconditionFailure("not an error of a store: \(error)")
    }
  }

  /// The file's bytes.
  var bytes: Data { get throws { try Data(contentsOf: url) } }

  func withConnection<R>(_ body: (Connection) throws -> R) throws -> R {
    try body(Connection(path: path, .readWrite))
  }

  func execute(_ sql: String...) throws {
    try withConnection { connection in for sql in sql { try connection.execute(sql) } }
  }

  /// Returns every row of a query, with its cells joined by spaces.
  func rows(_ sql: String) throws -> [String] {
    try withConnection { connection in
      let statement = try connection.prepare(sql)
      var rows: [String] = []
      while try statement.step() {
        rows.append(
          (0..<statement.columnCount).map { column in
            statement.isNull(Int32(column)) ? "null" : statement.string(Int32(column))
          }.joined(separator: " "))
      }
      return rows
    }
  }

  var commit: Int64? {
    get throws {
      try withConnection { try $0.integer("SELECT number FROM strata_commit") }
    }
  }
}

extension Result where Success == MigrationPlan, Failure == StoreError {
  var actions: [MigrationPlan.Action]? { try? get().actions }
  var error: StoreError? { if case .failure(let error) = self { error } else { nil } }
}

/// The error that the tests' closures throw.
struct Nonsense: Error, CustomStringConvertible {
  var description: String { "this is nonsense" }
}
