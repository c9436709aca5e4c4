import Strata

/// A boat, which loses its optional harbour when the harbour is deleted.
struct Boat: Entity, Equatable {
  var id = 0
  var name = ""
  var length = 0
  var speed: Int?
  var harbourID: Harbour.ID?

  static let harbour = toOne(\.harbourID, Harbour.self, onDelete: .nullify)
  static let schema = Schema<Boat>("boats", key: \.id) {
    Attribute(\.name)
    Attribute(\.length).indexed()
    Attribute(\.speed)
    harbour
  }
}

struct Harbour: Entity, Equatable {
  var id = 0
  var name = ""
  var isOpen = true

  static let schema = Schema<Harbour>("harbours", key: \.id) {
    Attribute(\.name)
    Attribute(\.isOpen)
  }
}

/// A pier, which is deleted with its harbour, and with the pier that it continues.
struct Pier: Entity, Equatable {
  var id = 0
  var harbourID = 0
  var nextID: Pier.ID?

  static let harbour = toOne(\.harbourID, Harbour.self, onDelete: .cascade)
  static let next = toOne(\.nextID, Pier.self, onDelete: .cascade)
  static let schema = Schema<Pier>("piers", key: \.id) {
    harbour
    next
  }
}

/// A berth, which denies the deletion of its harbour and is deleted with its pier.
struct Berth: Entity, Equatable {
  var id = 0
  var harbourID = 0
  var pierID = 0

  static let harbour = toOne(\.harbourID, Harbour.self, onDelete: .deny)
  static let pier = toOne(\.pierID, Pier.self, onDelete: .cascade)
  static let schema = Schema<Berth>("berths", key: \.id) {
    harbour
    pier
  }
}

/// A pennant with a unique code, and with a number that is unique within its country.
struct Pennant: Entity, Equatable {
  var id = 0
  var code: String?
  var country = ""
  var number = 0

  static let schema = Schema<Pennant>("pennants", key: \.id) {
    Attribute(\.code).unique()
    Attribute(\.country)
    Attribute(\.number)
    Unique<Pennant>(\.country, \.number)
  }
}
