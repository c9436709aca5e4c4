import Foundation
import Strata
import StrataImport

struct Country: Entity {
  var id = ""
  var name = ""

  static let cities = toMany(\City.countryID)
  static let schema = Schema<Country>("countries", key: \.id) {
    Attribute(\.name)
    cities
  }
  static let json = JSONMapping<Country> {
    Field(\.id, "code")
    Field(\.name, "name").required()
  }
}

struct City: Entity {
  var id = 0
  var name = ""
  var population = 0
  var latitude: Double?
  var longitude: Double?
  var countryID: Country.ID?
  /// The user's own mark. No import changes it.
  var isVisited = false

  static let country = toOne(\.countryID, Country.self)
  static let schema = Schema<City>("cities", key: \.id) {
    Attribute(\.name)
    Attribute(\.population).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    country
    Attribute(\.isVisited)
  }
  static let json = JSONMapping<City> {
    Field(\.id, "id")
    Field(\.name, "name").required()
    Field(\.population, "population")
    Field(\.longitude, "place[0]")
    Field(\.latitude, "place[1]")
    NestedObject(\.countryID, "country", Country.json)
  }
}
