import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Links with keys of every kind, and relationships that a schema may not have.
@Suite(.inTurn) struct RelationshipSchemaTests {
  private struct Plain: Entity {
    var id = 0
    static let twins = manyToMany(Twin.self)
    static let schema = Schema<Plain>("plains", key: \.id) { twins }
  }

  private struct Twin: Entity {
    var id = 0
    static let schema = Schema<Twin>("twins", key: \.id) {}
  }

  private struct Doubled: Entity {
    var id = 0
    static let some = manyToMany(Twin.self)
    static let others = manyToMany(Twin.self)
    static let schema = Schema<Doubled>("doubled", key: \.id) {
      some
      others
    }
  }

  private struct Named: Entity, Equatable {
    var id = 0
    static let some = manyToMany(Twin.self)
    static let others = manyToMany(Twin.self, "others")
    static let schema = Schema<Named>("named", key: \.id) {
      some
      others
    }
  }

  private struct Nameless: Entity {
    var id = 0
    static let schema = Schema<Nameless>("nameless", key: \.id) { manyToMany(Twin.self, "") }
  }

  private struct Unlisted: Entity {
    var id = 0
    static let twins = manyToMany(Twin.self)
    static let schema = Schema<Unlisted>("unlisted", key: \.id) {}
  }

  private struct Shelf: Entity {
    var id = 0
    static let schema = Schema<Shelf>("shelves", key: \.id) {
      toMany(\Book.shelfID, orderedBy: \Book.weight)
    }
  }

  private struct Book: Entity {
    var id = 0
    var shelfID: Shelf.ID?
    var weight = 0.0
    static let schema = Schema<Book>("books", key: \.id) { toOne(\.shelfID, Shelf.self) }
  }

  @Test(
    arguments: [
      ([Plain.self], "Plain", "is linked with Twin, which is not in this stack"),
      ([Doubled.self, Twin.self], "Doubled", "two relationships with one join table"),
      ([Nameless.self, Twin.self], "Nameless", "needs a name without a NUL"),
      ([Shelf.self, Book.self], "Shelf", "what orders a to-many of Shelf is no attribute of Book"),
    ] as [([any Entity.Type], String, String)])
  func `a contradiction names the entity and the line`(
    types: [any Entity.Type], entity: String, message: String
  ) async throws {
    let error = await failure { try await Stack.temporary(types) }
    #expect(error?.code == .invalidSchema && error?.entity == entity)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("RelationshipSchemaTests.swift:") == true)
  }

  @Test func `two relationships of the same entities are told apart by name`() async throws {
    try await withTemporaryStack(Named.self, Twin.self) { stack in
      try await stack.commit { scratch in
        scratch.insert(Named(id: 1))
        for id in 1...2 { scratch.insert(Twin(id: id)) }
        scratch.link(1, to: 1, in: Named.some)
        scratch.link(1, to: 2, in: Named.others)
      }
      #expect(try await stack.fetch(Named.some(of: 1)).map(\.id) == [1])
      #expect(try await stack.fetch(Named.others(of: 1)).map(\.id) == [2])
    }
  }

  @Test func `a query of a relationship that no schema lists says so`() async throws {
    try await withTemporaryStack(Unlisted.self, Twin.self) { stack in
      let error = await failure { try await stack.fetch(Unlisted.twins(of: 1)) }
      #expect(error?.code == .invalidQuery)
      #expect(error?.message.contains("no schema of this stack lists") == true)
    }
  }

  @Test func `a store keeps its links when it is opened again`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("store.sqlite")
    // The order in which entities are listed does not matter.
    let orders: [[any Entity.Type]] = [[Named.self, Twin.self], [Twin.self, Named.self]]
    for (index, types) in orders.enumerated() {
      let stack = try await Stack.open(types, at: url)
      if index == 0 {
        try await stack.commit { scratch in
          scratch.insert(Named(id: 1))
          scratch.insert(Twin(id: 1))
          scratch.link(1, to: 1, in: Named.others)
        }
      }
      #expect(try await stack.fetch(Named.others(of: 1)).map(\.id) == [1])
      #expect(try await stack.fetch(Named.some(of: 1)).isEmpty)
      await stack.close()
    }
  }

  @Test func `no two pairs of keys have the same link`() throws {
    let cells: [Cell] = [
      .integer(0), .integer(-1), .integer(1), .integer(.max), .integer(.min), .real(0), .real(1),
      .real(-1), .text(""), .text("a"), .text("aa"), .text("b"), .text("\0"), .text("a\0"),
      .blob(Data()), .blob(Data([97])), .blob(Data([0])), .blob(Data(count: 16)),
    ]
    var keys: Set<Cell> = []
    for owner in cells {
      for target in cells { keys.insert(try JoinTable.key(owner, target)) }
    }
    #expect(keys.count == cells.count * cells.count)
    #expect(try JoinTable.key(.real(-0.0), .integer(1)) == JoinTable.key(.real(0.0), .integer(1)))
    #expect(throws: ValueError.self) { try JoinTable.key(.null, .integer(1)) }
    #expect(throws: ValueError.self) { try JoinTable.key(.integer(1), .real(.nan)) }
  }

  @Test func `a link with a key that cannot be stored is reported by the save`() async throws {
    try await withTemporaryStack(Odd.self) { stack in
      let scratch = stack.makeScratch()
      scratch.link(Double.nan, to: 1, in: Odd.odds)
      let error = await failure { try await scratch.save() }
      #expect(error?.code == .invalidValue && error?.entity == "Odd")
      let query = await failure { try await stack.fetch(Odd.odds(of: .nan)) }
      #expect(query?.code == .invalidQuery)
      scratch.rollback()
      scratch.insert(Odd(id: -0.0))
      scratch.link(0.0, to: -0.0, in: Odd.odds)
      try await scratch.save()
      #expect(try await stack.fetch(Odd.odds(of: -0.0)).map(\.id) == [0])
    }
  }

  private struct Odd: Entity {
    var id = 0.0
    static let odds = manyToMany(Odd.self)
    static let schema = Schema<Odd>("odds", key: \.id) { odds }
  }
}
