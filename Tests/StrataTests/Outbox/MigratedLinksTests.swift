import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Mix: Entity {
    var id = 0
    static let keys = manyToMany(Knob.self, "keys")
    static let schema = Schema<Mix>("mixes", key: \.id) { keys }
  }
  struct Knob: Entity {
    var id = 0
    static let schema = Schema<Knob>("knobs", key: \.id) {}
  }
}

/// The key of one end has another type.
private enum V2 {
  struct Mix: Entity {
    var id = 0
    static let keys = manyToMany(Knob.self, "keys")
    static let schema = Schema<Mix>("mixes", key: \.id) { keys }
  }
  struct Knob: Entity {
    var id = ""
    static let schema = Schema<Knob>("knobs", key: \.id) {
      Attribute(\.id).converted(from: Int.self) { "k\($0)" }
    }
  }
}

/// The other key has another type, too, the tables and the relationship have other names, and the
/// links have an order.
private enum V3 {
  struct Tape: Entity {
    var id = ""
    static let dials = manyToMany(Dial.self, "dials", formerly: ["keys"], ordered: true)
    static let schema = Schema<Tape>("tapes", formerly: ["mixes"], key: \.id) {
      Attribute(\.id).converted(from: Int.self) { "m\($0)" }
      dials
    }
  }
  struct Dial: Entity {
    var id = ""
    static let schema = Schema<Dial>("dials", formerly: ["knobs"], key: \.id) {
      Attribute(\.id).converted(from: Int.self) { "k\($0)" }
    }
  }
}

/// A different attribute becomes the key.
private enum Coded {
  struct Reel: Entity {
    var id = 0
    var code = ""
    static let schema = Schema<Reel>("reels", key: \.id) { Attribute(\.code) }
  }
  struct NewReel: Entity {
    var id = ""
    var number = 0
    static let schema = Schema<NewReel>("reels", key: \.id) {
      Attribute(\.id).formerly("code")
      Attribute(\.number).formerly("id")
    }
  }
}

/// Removed links that wait to be removed on a server, while the keys of their ends change.
///
/// The link of the request was not known: its key had the keys of an earlier version.
@Suite(.inTurn) struct MigratedLinksTests {
  enum Removal: CaseIterable { case unlink, deleteOwner, deleteTarget, deleteBoth }

  private let file: StoreFile

  init() throws { file = try StoreFile() }

  /// Removes the link of mix 1 and knob 2, and sends its deletion if `isLost`, without an answer.
  private func remove(_ removal: Removal, isLost: Bool) async throws {
    try await file.open(V1.Mix.self, V1.Knob.self) { stack in
      let outbox = try await stack.outbox()
      let (mix, knob) = (V1.Mix(id: 1), V1.Knob(id: 2))
      try await stack.withScratch { scratch in
        scratch.insert(mix)
        for id in 2...3 {
          scratch.insert(V1.Knob(id: id))
          scratch.link(mix, to: V1.Knob(id: id), in: V1.Mix.keys)
        }
      }
      try await outbox.pushed()
      try await stack.withScratch { scratch in
        switch removal {
        case .unlink: scratch.unlink(mix, from: knob, in: V1.Mix.keys)
        case .deleteOwner: scratch.delete(mix)
        case .deleteTarget: scratch.delete(knob)
        case .deleteBoth:
          scratch.delete(mix)
          scratch.delete(knob)
        }
      }
      if isLost {
        await #expect(throws: Unreachable.self) {
          try await outbox.push { _ in throw Unreachable() }
        }
      }
    }
  }

  @Test(arguments: Removal.allCases, [true, false])
  func `a removed link is known after its keys were converted`(
    _ removal: Removal, isLost: Bool
  ) async throws {
    try await remove(removal, isLost: isLost)
    try await file.open(V2.Mix.self, V2.Knob.self, version: 2) { stack in
      let outbox = try await stack.outbox()
      let links = try await outbox.requests().compactMap { $0.link(of: V2.Mix.keys) }
      #expect(links.contains { $0.root == 1 && $0.target == "k2" })
      let hasBoth = removal == .deleteOwner || removal == .deleteBoth
      #expect(links.count == (hasBoth ? 2 : 1))
    }
  }

  /// The key of the request was the value of an attribute that is the key no more.
  @Test(arguments: [true, false])
  func `a deleted row has the key that it would have`(isLost: Bool) async throws {
    try await file.open(Coded.Reel.self) { stack in
      let outbox = try await stack.outbox()
      for id in 1...3 { try await stack.insert(Coded.Reel(id: id, code: "r\(id)")) }
      try await outbox.pushed()
      try await stack.delete(Coded.Reel.self, 2)
      try await stack.withScratch { $0.upsert(Coded.Reel(id: 3, code: "r9")) }
      if isLost {
        await #expect(throws: Unreachable.self) {
          try await outbox.push { _ in throw Unreachable() }
        }
      }
    }
    try await file.open(Coded.NewReel.self, version: 2) { stack in
      let requests = try await stack.outbox().requests()
      #expect(Set(requests.compactMap { $0.id(of: Coded.NewReel.self) }) == ["r2", "r9"])
      let deleted = requests.first { $0.kind == .delete }?.value(as: Coded.NewReel.self)
      #expect(deleted?.id == "r2" && deleted?.number == 2)
    }
  }

  @Test(arguments: Removal.allCases, [true, false])
  func `a removed link is known after both keys and all names have changed`(
    _ removal: Removal, isLost: Bool
  ) async throws {
    try await remove(removal, isLost: isLost)
    try await file.open(V3.Tape.self, V3.Dial.self, version: 3) { stack in
      let outbox = try await stack.outbox()
      let requests = try await outbox.requests()
      let links = requests.compactMap { $0.link(of: V3.Tape.dials) }
      #expect(links.contains { $0.root == "m1" && $0.target == "k2" })
      // Every other deletion has the key of its row.
      let deleted = requests.compactMap { $0.id(of: V3.Tape.self) ?? $0.id(of: V3.Dial.self) }
      switch removal {
      case .unlink: #expect(deleted.isEmpty)
      case .deleteOwner: #expect(deleted == ["m1"])
      case .deleteTarget: #expect(deleted == ["k2"])
      case .deleteBoth: #expect(Set(deleted) == ["m1", "k2"])
      }
      // A link that comes back is the same link.
      if removal == .unlink {
        try await stack.withScratch {
          $0.link(V3.Tape(id: "m1"), to: V3.Dial(id: "k2"), in: V3.Tape.dials)
        }
        #expect(try await outbox.requests().filter { $0.kind == .insert }.isEmpty)
      }
    }
  }
}
