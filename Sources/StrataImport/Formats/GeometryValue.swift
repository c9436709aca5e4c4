internal import Strata

/// A geometry object as it stands in the input.
struct GeometryValue {
  var type: String?
  var coordinates = Coordinates.list([])
  var geometries: [GeometryValue] = []

  init() {}

  /// Reads an object with its members in any order. Other members are skipped.
  init(_ reader: inout JSONReader) throws(JSONFault) {
    try reader.beginObject()
    var isFirst = true
    while try reader.nextMember(&isFirst) {
      let key = try reader.key()
      if try reader.matches(key, Array("type".utf8)), reader.peek() == UInt8(ascii: "\"") {
        var text: [UInt8] = []
        try reader.decode(reader.string(), into: &text)
        type = String(decoding: text, as: UTF8.self)
      } else if try reader.matches(key, Array("coordinates".utf8)) {
        coordinates = try Coordinates(&reader)
      } else if try reader.matches(key, Array("geometries".utf8)) {
        try reader.beginArray()
        var isFirst = true
        while try reader.nextElement(&isFirst) { geometries.append(try GeometryValue(&reader)) }
      } else {
        try reader.skipValue()
      }
    }
  }
}

/// Numbers in nested arrays. A valid geometry has up to four levels of arrays.
indirect enum Coordinates {
  case number(Double)
  case list([Coordinates])

  init(_ reader: inout JSONReader) throws(JSONFault) {
    if reader.peek() == UInt8(ascii: "[") {
      try reader.beginArray()
      var items: [Coordinates] = []
      var isFirst = true
      while try reader.nextElement(&isFirst) { items.append(try Coordinates(&reader)) }
      self = .list(items)
    } else {
      let first = reader.position
      let number = try reader.number()
      let text = reader.bytes(first, count: reader.position - first)
      self = .number(number.real(text) ?? .infinity)
    }
  }

  func list() throws(ValueError) -> [Coordinates] {
    guard case .list(let items) = self else { throw ValueError("coordinates are not in an array") }
    return items
  }

  /// Returns the position that an array of two numbers or more has.
  func position() throws(ValueError) -> Geometry.Position {
    guard case .list(let items) = self, items.count >= 2,
      case .number(let longitude) = items[0], case .number(let latitude) = items[1],
      longitude.isFinite, latitude.isFinite
    else { throw ValueError("a position is not two numbers or more") }
    return Geometry.Position(longitude: longitude, latitude: latitude)
  }

  func positions() throws(ValueError) -> [Geometry.Position] {
    var positions: [Geometry.Position] = []
    for item in try list() { positions.append(try item.position()) }
    return positions
  }

  func rings() throws(ValueError) -> [[Geometry.Position]] {
    var rings: [[Geometry.Position]] = []
    for item in try list() { rings.append(try item.positions()) }
    return rings
  }
}
