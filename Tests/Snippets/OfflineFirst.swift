private struct Note: Entity {
  var id = 0
  var localID: UUID?
  var number: Int?
  var title = ""
  var version = 0

  static let tags = manyToMany(Tag.self)
  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.number).unique()
    Attribute(\.title)
    Attribute(\.version)
    tags
  }
  static let json = JSONMapping<Note> { Field(\.id, "id") }
}

private struct Tag: Entity {
  var id = ""

  static let schema = Schema<Tag>("tags", key: \.id) {}
}

/// The app's own connection to its server.
private struct Server {
  struct Answer {
    var status = 200
    var body = Data()
    var id = 0
    var retryAfter: Duration?
    var error = URLError(.badServerResponse)
  }

  func send(
    _ kind: PushRequest.Kind, _ id: Note.ID, _ body: Data?, ifMatch version: Int?,
    idempotencyKey: UUID
  ) async throws -> Answer {
    Answer()
  }
}

private enum Remedy {
  case again
  case giveUp
  case edit(Note)
}

private let server = Server()
private let numberIsTaken = "the number is taken"
private let request = URLRequest(url: URL(filePath: "/"))
private func ask(_ mine: Note?, _ theirs: Note?, _ attributes: [String]) async -> Bool { false }
private func ask(_ note: Note?, _ reason: String) async -> Remedy { .again }
@Sendable private func send(_ request: PushRequest) async throws -> PushVerdict { .done }
@MainActor private var outbox: Outbox { fatalError() }
@MainActor private var refresher: Refresher { fatalError() }
@MainActor private let notes = Feed("notes", Note.self, from: request, mapping: Note.json)
@MainActor private var badge = ""
