import Strata

/// A folder that the user makes. The server must have it before a note in it.
struct Folder: Entity {
  var id = 0

  static let schema = Schema<Folder>("folders", key: \.id) {}
}
