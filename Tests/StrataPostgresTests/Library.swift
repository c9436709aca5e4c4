import Foundation

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

struct Album: Entity {
  var id = 0
  var title = ""

  static let schema = Schema<Album>("albums", key: \.id) { Attribute(\.title) }
}

struct Song: Entity {
  var id = 0
  var title = ""
  var code: String?
  var side = Int8(1)
  var isLive = false
  var score = 0.0
  var price = Decimal(0)
  var tags: [String] = []
  var released = Date(timeIntervalSinceReferenceDate: 0)
  var cover: Data?
  var token = UUID()
  var albumID: Int?

  static let album = toOne(\.albumID, Album.self, onDelete: .cascade)
  static let moods = manyToMany(Mood.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.code).unique()
    Attribute(\.side)
    Attribute(\.isLive)
    Attribute(\.score)
    Attribute(\.price)
    Attribute(\.tags)
    Attribute(\.released)
    Attribute(\.cover)
    Attribute(\.token)
    album
    moods
    Unique(\.title, \.side)
  }
}

struct Mood: Entity {
  var id = ""

  static let schema = Schema<Mood>("moods", key: \.id) {}
}

/// The tables of the entities, and a server that was prepared for them.
struct Library {
  let followed: FollowedTables
  var shapes: [ServerShape]

  init(_ rows: [ReplicatedRows]? = nil) throws {
    followed = FollowedTables(try Table.tables(of: [Song.self, Album.self, Mood.self]))
    shapes = followed.tables.enumerated().map { ServerShape(of: $1, number: $0 + 1) }
  }

  func table(_ name: String) -> Table { followed.tables.first { $0.serverName == name }! }

  /// The mappings, as a replica makes them.
  func tables(on given: [ServerTable] = []) throws -> ServerTables {
    var tables = try ServerTables(followed, on: given)
    try tables.take(shapes)
    return tables
  }

  func mapping(_ name: String) throws -> TableMapping { try tables()[table(name)] }

  /// Changes the shape of a table.
  mutating func change(_ name: String, _ change: (ServerShape) -> ServerShape) {
    shapes = shapes.map { $0.name == name ? change($0) : $0 }
  }
}

extension ServerShape {
  /// The shape of a table that `prepare` has made.
  init(of table: Table, number: Int) {
    let types = table.columns.enumerated().map { position, column in
      let type = String(column.serverType.split(separator: " ")[0])
      let number = ColumnType(rawValue: type)?.number ?? 0
      let isComputed = table.isJoin && position == Table.keyColumn
      return "\"\(column.name)\": \"\(number) \(type)\(isComputed ? " generated" : "")\""
    }
    self.init(
      number: number, relation: UInt32(16_000 + number), schema: "public", name: table.serverName,
      columns: "{\(types.joined(separator: ", "))}", unseen: nil, isKeyed: true,
      fingerprint: "f\(number)", place: 1)
  }

  func with(
    number: Int? = nil, relation: UInt32? = nil, schema: String? = nil, name: String? = nil,
    columns: String? = nil, unseen: String? = nil, isKeyed: Bool? = nil, place: Int?? = .none
  ) -> ServerShape {
    ServerShape(
      number: number ?? self.number, relation: relation ?? self.relation,
      schema: schema ?? self.schema, name: name ?? self.name, columns: columns ?? self.columns,
      unseen: unseen ?? self.unseen, isKeyed: isKeyed ?? self.isKeyed, fingerprint: fingerprint,
      place: place ?? self.place)
  }
}

/// Returns the error of a call; nil if it succeeds.
func failure(_ body: () throws -> Void) -> ReplicaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ReplicaError
  }
}
