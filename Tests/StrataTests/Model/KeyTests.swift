import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Painter: Entity, Equatable {
  var id = Key<Painter>()
  var name = ""

  static let paintings = toMany(\Painting.painterID)
  static let schema = Schema<Painter>("painters", key: \.id) {
    Attribute(\.name)
    paintings
  }
}

private struct Painting: Entity, Equatable {
  var id = Key<Painting>()
  var painterID: Painter.ID?
  var ownerID = Painter.ID()
  var copies: [Painting.ID] = []
  var title = ""

  static let painter = toOne(\.painterID, Painter.self, onDelete: .nullify)
  static let owner = toOne(\.ownerID, Painter.self, onDelete: .deny)
  static let schema = Schema<Painting>("paintings", key: \.id) {
    painter
    owner
    Attribute(\.copies)
    Attribute(\.title)
  }
}

/// ``Painter`` and ``Painting`` with plain UUIDs as keys.
private struct OldPainter: Entity {
  var id = UUID()
  var name = ""

  static let schema = Schema<OldPainter>("painters", key: \.id) { Attribute(\.name) }
}

private struct OldPainting: Entity {
  var id = UUID()
  var painterID: UUID?
  var ownerID = UUID()
  var copies: [UUID] = []
  var title = ""

  static let schema = Schema<OldPainting>("paintings", key: \.id) {
    Attribute(\.painterID).indexed()
    Attribute(\.ownerID).indexed()
    Attribute(\.copies)
    Attribute(\.title)
  }
}

private struct Order: Entity, Equatable {
  struct ID: RawRepresentable, ComparableValue, Hashable { var rawValue: Int64 }
  var id = ID(rawValue: 0)
  var formerID: Order.ID?

  static let schema = Schema<Order>("orders", key: \.id) { Attribute(\.formerID) }
}

@Suite(.inTurn, .stack(Painter.self, Painting.self, Order.self)) struct KeyTests {
  let stack = Stack.test
  private let frida = Painter(name: "Frida")

  @Test func `typed keys work wherever a key does`() async throws {
    let diego = Painter(name: "Diego")
    let roots = Painting(painterID: frida.id, ownerID: diego.id, title: "Roots")
    let moses = Painting(ownerID: diego.id, copies: [roots.id], title: "Moses")
    try await stack.withScratch { [frida] scratch in
      for painter in [frida, diego] { scratch.insert(painter) }
      for painting in [roots, moses] { scratch.insert(painting) }
    }
    let scratch = stack.makeScratch()
    #expect(try await scratch.find(Painting.self, [moses.id, roots.id]) == [moses, roots])
    #expect(try await scratch.fetch(Painter.paintings(of: frida)) == [roots])
    let (key, keys) = (frida.id, [roots.id, moses.id])
    #expect(try await scratch.fetch(Painting.where { $0.painterID == key }) == [roots])
    #expect(try await scratch.fetch(Painting.where { $0.id.isIn(keys) }).count == 2)
    #expect(try await scratch.fetch(Painting.where { $0.painter.name == "Frida" }) == [roots])
    #expect(
      try await scratch.fetch(Painting.sorted(by: \.id, order: .reverse)).map(\.id)
        == keys.sorted(by: >))
    try await stack.withScratch { [frida] in $0.delete(frida) }
    #expect(try await stack.fetch(Painting.where { $0.title == "Roots" })[0].painterID == nil)
    #expect(
      await failure { try await stack.withScratch { $0.delete(diego) } }?.code == .deleteDenied)
  }

  @Test func `a key is laid out and stored as its UUID`() async throws {
    #expect(ValueKind(Key<Painter>.self) == .uuid && ValueKind(Painter.ID?.self) == .optionalUUID)
    #expect(ValueKind(Painter.ID??.self) == .other)
    #expect(MemoryLayout<Key<Painter>>.size == MemoryLayout<UUID>.size)
    #expect(MemoryLayout<Key<Painter>?>.size == MemoryLayout<UUID?>.size)
    #expect(MemoryLayout<Key<Painter>>.alignment == MemoryLayout<UUID>.alignment)
    #expect(frida.id.cell == frida.id.uuid.cell)
  }

  @Test func `a store moves from UUIDs to typed keys as it is`() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let url = URL(fileURLWithPath: folder.path + "/store.sqlite")
    let owner = OldPainter()
    let old = OldPainting(painterID: UUID(), ownerID: owner.id, copies: [UUID()], title: "Old")
    let before = try await Stack.open(OldPainting.self, OldPainter.self, at: url)
    try await before.withScratch {
      $0.insert(owner)
      $0.insert(old)
    }
    await before.close()
    let after = try await Stack.open(Painting.self, Painter.self, at: url)
    #expect(
      try await after.fetch(Painting.all) == [
        Painting(
          id: Key(old.id), painterID: old.painterID.map { Key($0) }, ownerID: Key(old.ownerID),
          copies: old.copies.map { Key($0) }, title: "Old")
      ])
    await after.close()
  }

  @Test func `text and JSON have the form of a UUID`() throws {
    let key = try #require(Key<Painter>("6f9619ff-8b86-d011-b42d-00c04fc964ff"))
    #expect(key.description == "6F9619FF-8B86-D011-B42D-00C04FC964FF")
    #expect(
      Key(key.description) == key && Key<Painter>("6f96") == nil && Key("") as Painter.ID? == nil)
    let json = try JSONEncoder().encode([key])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(key.uuid)\"]")
    #expect(try JSONDecoder().decode([Painter.ID].self, from: json) == [key])
  }

  @Test func `keys sort by creation, in memory as in the store`() {
    let keys = [0, 1, 1000, 1e6].map {
      Key<Painter>(.timeOrdered(at: TimeOrderedTick(Date(timeIntervalSince1970: 1.6e9 + $0))))
    }
    #expect(
      keys == keys.sorted()
        && keys.map { RecordKey($0.cell) }.sorted() == keys.map { RecordKey($0.cell) })
    #expect(Set((0..<1000).map { _ in Key<Painter>() }).count == 1000)
  }

  @Test func `a number from a server can have a type of its own`() async throws {
    let order = Order(id: .init(rawValue: 7), formerID: .init(rawValue: .max))
    try await stack.withScratch { $0.insert(order) }
    let scratch = stack.makeScratch()
    #expect(try await scratch.find(Order.self, .init(rawValue: 7)) == order)
    #expect(try await scratch.fetch(Order.sorted(by: \.id)) == [order])
  }
}
