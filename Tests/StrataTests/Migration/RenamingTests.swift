import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Track: Entity {
    var id: Int64 = 0
    var a = ""
    var b = ""
    var length = 0
    var albumID: Album.ID?
    var nextID: Track.ID?
    static let schema = Schema<Track>("tracks \"1\"", key: \.id) {
      Attribute(\.a).indexed()
      Attribute(\.b).unique()
      Attribute(\.length, "la \"länge\"")
      toOne(\.albumID, Album.self)
      toOne(\.nextID, Track.self)
      Unique(\.a, \.length)
    }
  }
  struct Album: Entity {
    var id: Int64 = 0
    var name = ""
    static let schema = Schema<Album>("albums", key: \.id) { Attribute(\.name) }
  }
}

/// Tables, columns and a type that change together.
///
/// Two of the columns swap their names.
private enum V2 {
  struct Song: Entity, Equatable {
    var number: Int64 = 0
    var a = ""
    var b = ""
    var duration = 0.0
    var recordID: Disc.ID?
    var nextID: Song.ID?
    var id: Int64 { number }
    static let next = toOne(\.nextID, Song.self).formerly("nextID")
    static let schema = Schema<Song>("songs; größe", formerly: ["tracks \"1\""], key: \.number) {
      Attribute(\.number).formerly("id")
      Attribute(\.a).unique().formerly("b")
      Attribute(\.b).indexed().formerly("a")
      Attribute(\.duration).formerly("la \"länge\"").converted(from: Int.self) { Double($0) / 1000 }
      toOne(\.recordID, Disc.self).formerly("albumID")
      next
      Unique(\.b, \.duration)
    }
  }
  struct Disc: Entity, Equatable {
    var id: Int64 = 0
    var name = ""
    static let schema = Schema<Disc>("discs", formerly: ["albums"], key: \.id) {
      Attribute(\.name)
    }
  }
}

/// Two tables that swap their names, and two columns that swap their names without a copy.
private enum Swap {
  struct Left: Entity {
    var id: Int64 = 0
    var x = ""
    var y = ""
    static let schema = Schema<Left>("left", key: \.id) {
      Attribute(\.x).indexed()
      Attribute(\.y)
    }
  }
  struct Right: Entity {
    var id: Int64 = 0
    var z = ""
    static let schema = Schema<Right>("right", key: \.id) { Attribute(\.z).indexed() }
  }
  struct NewLeft: Entity {
    var id: Int64 = 0
    var z = ""
    static let schema = Schema<NewLeft>("left", formerly: ["right"], key: \.id) {
      Attribute(\.z).indexed()
    }
  }
  struct NewRight: Entity {
    var id: Int64 = 0
    var x = ""
    var y = ""
    static let schema = Schema<NewRight>("right", formerly: ["left"], key: \.id) {
      Attribute(\.x).indexed().formerly("y")
      Attribute(\.y).formerly("x")
    }
  }
  struct Loud: Entity {
    var id: Int64 = 0
    var z = ""
    static let schema = Schema<Loud>("RIGHT", key: \.id) { Attribute(\.z, "Z").indexed() }
  }
}

@Suite(.inTurn) struct RenamingTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  @Test func `tables, columns and types change together, and swaps happen once`() async throws {
    try await file.open(V1.Track.self, V1.Album.self) { stack in
      try await stack.withScratch { scratch in
        scratch.insert(V1.Album(id: 7, name: "Kind of Blue"))
        scratch.insert(V1.Track(id: 1, a: "a1", b: "b1", length: 1500, albumID: 7, nextID: 2))
        scratch.insert(V1.Track(id: 2, a: "a2", b: "b2", length: 250, albumID: nil, nextID: 2))
      }
    }
    let wanted = [
      V2.Song(number: 1, a: "b1", b: "a1", duration: 1.5, recordID: 7, nextID: 2),
      V2.Song(number: 2, a: "b2", b: "a2", duration: 0.25, recordID: nil, nextID: 2),
    ]
    for attempt in 1...3 {
      try await file.open(V2.Disc.self, V2.Song.self, version: min(attempt, 2)) { stack in
        let found = try await stack.fetch(V2.Song.all)
        #expect(found == wanted)
        #expect(try await stack.fetch(V2.Disc.all) == [V2.Disc(id: 7, name: "Kind of Blue")])
        if attempt == 3 {
          #expect(stack.migration.isEmpty)
          try await stack.withScratch { $0.insert(V2.Song(number: 3, a: "b3")) }
          let error = await failure {
            try await stack.withScratch { $0.insert(V2.Song(number: 4, a: "b3")) }
          }
          #expect(error?.code == .uniquenessViolated && error?.attributes == ["a"])
        }
      }
    }
  }

  @Test func `tables swap names, and columns without being copied`() async throws {
    try await file.open(Swap.Left.self, Swap.Right.self) { stack in
      try await stack.withScratch {
        $0.insert(Swap.Left(id: 1, x: "x", y: "y"))
        $0.insert(Swap.Right(id: 2, z: "z"))
      }
    }
    for _ in 1...2 {
      try await file.open(Swap.NewLeft.self, Swap.NewRight.self) { stack in
        let found = try await stack.fetch(Swap.NewLeft.all).map(\.z)
        #expect(found == ["z"])
        let right = try await stack.fetch(Swap.NewRight.all)
        #expect(right.map(\.x) == ["y"] && right.map(\.y) == ["x"])
        #expect(!stack.migration.description.contains("copy"))
      }
    }
    // Names that differ by case alone are one name to SQLite.
    let loud = await file.migrate(Swap.NewRight.self, Swap.Loud.self).error
    #expect(loud?.code == .invalidSchema)
    let only = await file.migrate(Swap.NewLeft.self, Swap.Loud.self).error
    #expect(only?.message.contains("\"y\"") == true)
  }

  /// Swapped names make the model look unchanged. If the store were opened without a comparison,
  /// every value would be read and saved under the other name.
  @Test func `columns that swap their names are swapped if nothing else changes`() async throws {
    try await file.make([Swap.Left(id: 1, x: "x", y: "y")])
    struct Swapped: Entity, Equatable {
      var id: Int64 = 0
      var x = ""
      var y = ""
      static let schema = Schema<Swapped>("left", key: \.id) {
        Attribute(\.x).indexed().formerly("y")
        Attribute(\.y).formerly("x")
      }
    }
    for attempt in 1...3 {
      try await file.open(Swapped.self) { stack in
        let found = try await stack.fetch(Swapped.all)
        #expect(found == [Swapped(id: 1, x: "y", y: "x")])
        #expect(stack.migration.isEmpty == (attempt > 1))
      }
    }
  }

  @Test func `tables that swap their names are swapped if nothing else changes`() async throws {
    struct One: Entity {
      var id: Int64 = 0
      static let schema = Schema<One>("one", key: \.id) {}
    }
    struct Two: Entity {
      var id: Int64 = 0
      static let schema = Schema<Two>("two", key: \.id) {}
    }
    struct NewOne: Entity {
      var id: Int64 = 0
      static let schema = Schema<NewOne>("one", formerly: ["two"], key: \.id) {}
    }
    struct NewTwo: Entity {
      var id: Int64 = 0
      static let schema = Schema<NewTwo>("two", formerly: ["one"], key: \.id) {}
    }
    try await file.open(One.self, Two.self) { stack in
      try await stack.withScratch {
        $0.insert(One(id: 1))
        $0.insert(Two(id: 2))
      }
    }
    for attempt in 1...3 {
      try await file.open(NewOne.self, NewTwo.self) { stack in
        let one = try await stack.fetch(NewOne.all).map(\.id)
        let two = try await stack.fetch(NewTwo.all).map(\.id)
        #expect(one == [2] && two == [1])
        #expect(stack.migration.isEmpty == (attempt > 1))
      }
    }
  }

  @Test func `a name may change its case`() async throws {
    try await file.make([Swap.Right(id: 1, z: "z")])
    try await file.open(Swap.Loud.self) { stack in
      let found = try await stack.fetch(Swap.Loud.where { $0.z == "z" })
      #expect(found.count == 1)
      #expect(stack.migration.actions.contains(.renameTable("right", to: "RIGHT")))
      #expect(stack.migration.actions.contains(.renameColumn("z", to: "Z", table: "RIGHT")))
    }
    #expect(await file.migrate(Swap.Loud.self).actions == [])
  }

  private struct Both: Entity {
    var id: Int64 = 0
    var x = ""
    var y = ""
    static let schema = Schema<Both>("right", key: \.id) {
      Attribute(\.x).formerly("z")
      Attribute(\.y).formerly("Z")
    }
  }
  private struct Gone: Entity {
    var id: Int64 = 0
    var z = ""
    static let schema = Schema<Gone>("right", key: \.id) {
      Attribute(\.z)
      Removed<Gone>("Z")
    }
  }
  private struct OneOfTwo: Entity {
    var id: Int64 = 0
    static let schema = Schema<OneOfTwo>("one", formerly: ["right"], key: \.id) {
      Removed<OneOfTwo>("z")
    }
  }
  private struct TwoOfTwo: Entity {
    var id: Int64 = 0
    static let schema = Schema<TwoOfTwo>("two", formerly: ["right"], key: \.id) {
      Removed<TwoOfTwo>("z")
    }
  }

  @Test func `contradictory declarations are refused`() async throws {
    try await file.make([Swap.Right(id: 1, z: "z")])
    let both = await file.migrate(Both.self).error
    #expect(both?.code == .invalidSchema && both?.attributes == ["z"])
    let gone = await file.migrate(Gone.self).error
    #expect(gone?.code == .invalidSchema && gone?.message.contains("removed and listed") == true)
    let two = await file.migrate(OneOfTwo.self, TwoOfTwo.self).error
    #expect(two?.code == .invalidSchema && two?.message.contains("\"right\"") == true)
  }
}
