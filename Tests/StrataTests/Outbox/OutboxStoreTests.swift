import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Waiting requests in the store, which depend neither on the history nor on the order of entities.
@Suite(.inTurn) struct OutboxStoreTests {
  private let file: StoreFile

  init() throws { file = try StoreFile() }

  @Test func `an outbox with a missing or short history loses no edit`() async throws {
    try await file.open(Parcel.self, Crate.self, options: { $0.history = .keep(bytes: 1) }) {
      stack in
      _ = try await stack.outbox()
      try await stack.insert(Parcel(id: 1))
    }
    // Edits of a program that keeps no history wait as well.
    try await file.open(Parcel.self, Crate.self) { stack in
      try await stack.update(1) { $0.name = "edited" }
      try await stack.insert(Parcel(id: 2))
    }
    try await file.open(Parcel.self, Crate.self, options: { $0.history = .keep(bytes: 1) }) {
      stack in
      for weight in 0..<300 { try await stack.update(2) { $0.weight = weight } }
      #expect(try await stack.entries().count < 100)
      let outbox = try await stack.outbox()
      #expect(try await outbox.pushed() == ["insert Parcel 1", "insert Parcel 2"])
      #expect(try await outbox.requests().isEmpty)
    }
  }

  @Test func `the order of the entities and the authors say nothing about what was pushed`()
    async throws
  {
    try await file.open(Parcel.self, Crate.self) { stack in
      let outbox = try await stack.outbox()
      try await stack.insert(Crate(id: 1, code: "a"), Parcel(id: 1), Crate(id: 2, code: "b"))
      try await stack.insert(Parcel(id: 2))
      let count = Lock(0)
      await #expect(throws: Unreachable.self) {
        try await outbox.push { _ in
          let isFull = count.withLock { count in
            count += 1
            return count > 2
          }
          if isFull { throw Unreachable() }
          return .done
        }
      }
      #expect(try await outbox.described() == ["insert Parcel 1", "insert Parcel 2"])
    }
    try await file.open(Crate.self, Parcel.self) { stack in
      let outbox = try await stack.outbox(ignoring: ["test", "import"])
      #expect(try await outbox.pushed() == ["insert Parcel 1", "insert Parcel 2"])
    }
  }

  // MARK: Migrations

  private enum Next {
    struct Crate: Entity {
      var id = ""
      var code = ""
      static let schema = Schema<Crate>("boxes", formerly: ["crates"], key: \.id) {
        Attribute(\.id).converted(from: Int.self) { "box \($0)" }
        Attribute(\.code).unique()
      }
    }

    struct Parcel: Entity {
      var id = 0
      var weight = ""
      var name = 0
      var color = "brown"
      static let schema = Schema<Parcel>("packets", formerly: ["parcels"], key: \.id) {
        // The names are swapped.
        Attribute(\.weight).formerly("name")
        Attribute(\.name).formerly("weight")
        Attribute(\.color).migrationDefault("brown")
        Removed<Parcel>("crateID")
      }
    }
  }

  @Test func `a migration takes along what waits`() async throws {
    try await file.open(Parcel.self, Crate.self) { stack in
      let outbox = try await stack.outbox()
      try await stack.insert(
        Parcel(id: 1), Parcel(id: 2), Parcel(id: 3), Crate(id: 1, code: "a"),
        Crate(id: 2, code: "b"))
      try await outbox.pushed()
      try await stack.update(1) { $0.name = "edited" }
      try await stack.update(2) { $0.crateID = 1 }
      try await stack.delete(Parcel.self, 3)
      try await stack.delete(Crate.self, 2)
      try await stack.insert(Crate(id: 3, code: "c"))
    }
    try await file.open(
      Next.Parcel.self, Next.Crate.self,
      options: { $0.removedTables = ["strata_join_parcels.labels"] }
    ) { stack in
      let outbox = try await stack.outbox()
      let requests = try await outbox.pushed()
      var counts = outbox.counts.makeAsyncIterator()
      #expect(await counts.next() == OutboxCounts(waiting: 0, refused: 0))
      // Parcel 2 has no request, because its only edited attribute is gone.
      #expect(
        requests.sorted() == [
          #"delete Crate "box 2""#, "delete Parcel 3", #"insert Crate "box 3""#,
          "update Parcel 1 weight",
        ])
    }
  }

  @Test func `a store of the format before is refused by name`() async throws {
    try await file.open(Parcel.self, Crate.self) { stack in try await stack.insert(Parcel()) }
    do {
      let connection = try Connection(path: file.path, access: .readWrite, busyTimeout: .zero)
      try connection.execute("PRAGMA user_version = 1")
    }
    let error = await failure { try await file.open(Parcel.self, Crate.self) { _ in } }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains("format 1") == true)
  }
}
