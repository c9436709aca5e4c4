import Foundation
import Strata

/// An entity that changed in several versions of an app.
struct Venue: Entity {
  var id = UUID.timeOrdered()
  var name = ""
  var seats = 0.0
  var cityID: Artist.ID?

  static let city = toOne(\.cityID, Artist.self).formerly("town")
  static let schema = Schema<Venue>("venues", formerly: ["clubs"], key: \.id) {
    Attribute(\.name).formerly("title", "label").unique()
    Attribute(\.seats).converted(from: Int?.self) { Double($0 ?? 0) }.migrationDefault(10)
    city
    Removed<Venue>("phone")
  }
}

func migrate(at url: URL) async throws -> String {
  var options = Stack.Options()
  options.schemaVersion = 2
  options.removedTables = ["sponsors"]
  options.migrationProgress = { progress in print(progress.done, progress.total) }
  options.migrations = [
    MigrationStep(to: 2) { migration in
      for venue in try migration.rows(of: "clubs") {
        let name = try venue.value("title", as: String.self)
        try migration.update(venue.key, of: "clubs", ["title": .text(name.lowercased())])
      }
    }
  ]
  let plan = try await Stack.plan(Venue.self, Artist.self, Song.self, at: url, options: options)
  let stack = try await Stack.open(Venue.self, Artist.self, Song.self, at: url, options: options)
  let description = try Stack.schema(of: [Venue.self, Artist.self, Song.self], version: 2)
  await stack.close()
  return "\(plan.actions.count) \(stack.migration) \(description.tables.count)"
}
