import Strata

/// A booking, with a rule of every kind.
struct Booking: Entity, Equatable {
  var id = 0
  var name = "Nina"
  var code: String?
  var guests = 2
  var price: Double?
  var begins = 1
  var ends = 2
  var note = ""
  var roomID: Room.ID?

  static let room = toOne(\.roomID, Room.self, onDelete: .nullify)
  static let schema = Schema<Booking>("bookings", key: \.id) {
    Attribute(\.name).validated(length: 1...20)
      .validated("must begin with a capital letter") { $0.first?.isUppercase != false }
    Attribute(\.code).validated(matching: /[A-Z]{2}[0-9]+/).validated(length: ...6)
    Attribute(\.guests).validated(1...12)
    Attribute(\.price).validated(0...)
      .validated("must be whole cents") { ($0 * 100).rounded() == $0 * 100 }
    Attribute(\.begins)
    Attribute(\.ends)
    Attribute(\.note)
    room
    Validation<Booking>("must end after it begins") { $0.ends > $0.begins }
    Validation<Booking>("needs a room for more than ten") { $0.guests <= 10 || $0.roomID != nil }
  }
}

struct Room: Entity, Equatable {
  var id = 0
  var name: String? = "Blue"

  static let schema = Schema<Room>("rooms", key: \.id) { Attribute(\.name).required() }
}

/// The table of ``Booking`` before its schema had rules.
struct UncheckedBooking: Entity {
  var id = 0
  var name = "Nina"
  var code: String?
  var guests = 2
  var price: Double?
  var begins = 1
  var ends = 2
  var note = ""
  var roomID: Room.ID?

  static let schema = Schema<UncheckedBooking>("bookings", key: \.id) {
    Attribute(\.name)
    Attribute(\.code)
    Attribute(\.guests)
    Attribute(\.price)
    Attribute(\.begins)
    Attribute(\.ends)
    Attribute(\.note)
    Attribute(\.roomID).indexed()
  }
}
