import Foundation

/// The articles of the server, and the rules by which they change.
struct Newsroom {
  /// An article as the server sends and receives it.
  struct Item: Codable, Equatable {
    var id = 0
    var number: Int?
    var headline = ""
    var clientID: UUID?
    var version = 1

    enum CodingKeys: String, CodingKey {
      case id, number, headline, version
      case clientID = "client_id"
    }
  }

  /// The part of an article that a request changes.
  struct Edit: Decodable {
    var number: Int?
    var headline: String?
    var clientID: UUID?

    enum CodingKeys: String, CodingKey {
      case number, headline
      case clientID = "client_id"
    }
  }

  enum Refusal: Error {
    case unknown
    /// The client has edited an older version than the current one.
    case changed(Item)
    case numberTaken(Int)
  }

  private var items: [Int: Item] = [:]

  /// All articles, by their ids.
  var all: [Item] { items.values.sorted { $0.id < $1.id } }

  /// Adds an article, which gets the next id.
  mutating func add(_ edit: Edit) throws -> Item {
    try change(Item(id: (items.keys.max() ?? 0) + 1, clientID: edit.clientID, version: 0), edit)
  }

  /// Changes an article.
  ///
  /// - Parameter version: the version that was edited; nil for an editor of the server.
  mutating func change(_ id: Int, _ edit: Edit, ifMatch version: Int?) throws -> Item {
    try change(try item(id, ifMatch: version), edit)
  }

  mutating func remove(_ id: Int, ifMatch version: Int?) throws {
    items[try item(id, ifMatch: version).id] = nil
  }

  private func item(_ id: Int, ifMatch version: Int?) throws -> Item {
    guard let item = items[id] else { throw Refusal.unknown }
    if let version, version != item.version { throw Refusal.changed(item) }
    return item
  }

  private mutating func change(_ item: Item, _ edit: Edit) throws -> Item {
    if let number = edit.number,
      items.values.contains(where: { $0.number == number && $0.id != item.id })
    {
      throw Refusal.numberTaken(number)
    }
    var changed = item
    changed.number = edit.number ?? item.number
    changed.headline = edit.headline ?? item.headline
    changed.version += 1
    items[item.id] = changed
    return changed
  }
}
