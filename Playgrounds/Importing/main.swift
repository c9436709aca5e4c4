// JSON becomes rows. It comes again, with changes, and with mistakes. Then rows become JSON.
//
//   swift run Importing
//
// The program prints the lines above each `chapter.show`, and then the result.

import Chapter
import Foundation
import Strata
import StrataImport

guard
  let url = Bundle.module.url(
    forResource: "cities", withExtension: "json", subdirectory: "Data")
else { fatalError("the bundled feed is missing") }

let chapter = Chapter()
let stack = try await Stack.temporary(Country.self, City.self)
let largest = stack.viewContext.live(
  City.sorted(by: \.population, order: .reverse).limit(3))
try await largest.waitUntilLoaded()

// A mapping names the member of the feed for each attribute. An object inside of a record is an
// entity of its own. Reading, parsing and writing happen off the main actor. Each batch is a
// commit.
chapter.section("A file of 400 cities, each with its country")
let first = try await stack.importJSON(
  City.self, from: .file(url), as: .array(at: "cities"), mapping: City.json,
  absent: .delete)
chapter.show("\(first.records) records, \(first.inserted) rows")
chapter.show("the list has it: \(largest.elements.map(\.name))")

chapter.section("The same file again: unchanged rows are not written, and wake no reader")
let wakes = largest.statistics.wakes
let again = try await stack.importJSON(
  City.self, from: .file(url), as: .array(at: "cities"), mapping: City.json,
  absent: .delete)
chapter.show(
  "\(again.inserted + again.updated) written, \(again.unchanged) unchanged, "
    + "\(largest.statistics.wakes - wakes) wakes")

// An attribute without a field belongs to the user. An import never writes it.
chapter.section("The user has been to Tokyo, and the feed has a new number")
if let tokyo = try await stack.viewContext.fetch(
  City.where { $0.name == "Tokyo" }
).first {
  stack.viewContext.update(tokyo) { $0.isVisited = true }
  try await stack.viewContext.save()
}
let news =
  #"{"cities": [{"id": 1850147, "name": "Tokyo", "population": 37115035}]}"#
try await stack.importJSON(
  City.self, from: .data(Data(news.utf8)), as: .array(at: "cities"),
  mapping: City.json)
for city in largest.elements.prefix(1) {
  chapter.show("\(city.name): \(city.population), visited: \(city.isVisited)")
}

// Bad data never traps, and an import never guesses. It stops at a bad record or leaves it out, and
// reports it.
chapter.section("A record has a mistake")
let mistake = #"""
  [{"id": 1, "name": "Atlantis", "population": "n/a"},
   {"id": 2, "name": "Avalon"}]
  """#
do {
  try await stack.importJSON(
    City.self, from: .data(Data(mistake.utf8)), mapping: City.json)
} catch let error as ImportError {
  chapter.show("\(error.code): \(error.message)")
}

var options = ImportOptions()
options.refusedRecords = .skip(listing: 10)
let partial = try await stack.importJSON(
  City.self, from: .data(Data(mistake.utf8)), mapping: City.json,
  options: options)
chapter.show("left out: \(partial.refused.count), taken: \(partial.inserted)")

// An atomic import is all or nothing: its rows become visible in one commit.
chapter.section("A feed that breaks off deletes nothing")
let whole = try Data(contentsOf: url)
options = ImportOptions()
options.commits = .atomic
do {
  try await stack.importJSON(
    City.self, from: .data(whole.prefix(whole.count / 2)),
    as: .array(at: "cities"),
    mapping: City.json, absent: .delete, options: options)
} catch let error as ImportError {
  chapter.show("\(error.code); there are still \(try await stack.count(City.all)) cities")
}

let complete = try await stack.importJSON(
  City.self, from: .data(whole), as: .array(at: "cities"),
  mapping: City.json, absent: .delete,
  options: options)
chapter.show("the whole one: \(complete.deleted) deleted, \(complete.updated) updated")

// An export uses the same mapping in reverse. An import reads back exactly what the export wrote,
// or the export fails.
chapter.section("A query as a feed")
let japan = City.where { $0.country.name == "Japan" }.sorted(
  by: \.population, order: .reverse)
let file = FileManager.default.temporaryDirectory.appendingPathComponent(
  "japan-\(UUID()).ndjson")
defer { try? FileManager.default.removeItem(at: file) }
try await stack.exportJSON(
  japan, as: .lines, mapping: City.json, toFile: file)
let lines = try String(contentsOf: file, encoding: .utf8).split(
  separator: "\n")
chapter.show("\(lines.count) lines: \(lines.first ?? "")")
let copy = try await Stack.temporary(Country.self, City.self)
try await copy.importJSON(
  City.self, from: .file(file), as: .lines, mapping: City.json)
let isEqual =
  try await copy.fetch(japan).map(\.name) == stack.fetch(japan).map(\.name)
chapter.show("read into another store: \(isEqual ? "the same cities" : "others")")
await copy.close()

chapter.end(
  "\(try await stack.count(City.all)) cities in \(try await stack.count(Country.all)) countries, "
    + "\(try await stack.count(City.where { $0.isVisited })) visited")
await stack.close()
