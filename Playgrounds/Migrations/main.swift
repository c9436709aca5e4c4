// Newer programs open a store that older programs wrote.
//
//   swift run Migrations
//
// The program prints the lines above each `chapter.show`, and then the result.
//
// Each version of the program is a file here, such as `Version1.swift`. An app has only the newest
// version, and keeps no entities of older versions.

import Chapter
import Foundation
import Strata
import StrataTesting

let chapter = Chapter()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "migrations-\(UUID())")
try FileManager.default.createDirectory(
  at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appendingPathComponent("music.sqlite")

chapter.section("Version 1 writes a store")
var options = Stack.Options()
options.schemaVersion = 1
var stack = try await Stack.open(
  Version1.Song.self, at: file, options: options)
try await stack.withScratch { scratch in
  scratch.insert(
    Version1.Song(name: "So What", artist: "Miles Davis", seconds: 545))
  scratch.insert(
    Version1.Song(
      name: "Blue in Green", artist: "Miles Davis", seconds: 327))
  scratch.insert(
    Version1.Song(name: "Sinnerman", artist: "Nina Simone", seconds: 622))
}
chapter.show("\(try await stack.count(Version1.Song.all)) songs, at version 1")
let description = try Stack.schema(of: [Version1.Song.self], version: 1)
await stack.close()

// A renamed property looks like a property that is gone and a property that is new. A guess could
// drop the users' data. So Strata does not guess: it refuses the store and leaves it unchanged.
chapter.section("A careless version 2 renames without saying so")
options.schemaVersion = 2
do {
  stack = try await Stack.open(
    Careless.Song.self, at: file, options: options)
} catch let error as StoreError {
  chapter.show("\(error.code): \(error.message)")
}

chapter.section("Version 2 declares what it did; a plan says what opening will do")
let plan = try await Stack.plan(
  Version2.Song.self, at: file, options: options)
for action in plan.actions { chapter.show("\(action)") }

stack = try await Stack.open(Version2.Song.self, at: file, options: options)
for song in try await stack.fetch(Version2.Song.sorted(by: \.title)) {
  chapter.show("\(song.title), \(song.duration) s, rated \(song.rating)")
}

await stack.close()

// A step does what declarations cannot express. It works on the stored tables by name, not on the
// current entities, so it still works when the entities have changed.
chapter.section("Version 3 makes artists of the artists' names")
options.schemaVersion = 3
options.migrations = [Version3.splitArtists]
stack = try await Stack.open(
  Version3.Song.self, Version3.Artist.self, at: file, options: options)
for (artist, songs) in try await stack.fetch(
  Version3.Artist.sorted(by: \.name), with: Version3.Artist.songs)
{
  chapter.show("\(artist.name): \(songs.map(\.title).sorted())")
}

let counts = (
  try await stack.count(Version3.Song.all),
  try await stack.count(Version3.Artist.all)
)
await stack.close()

chapter.section("Version 1 is started again, and does not touch what it does not know")
options = Stack.Options()
options.schemaVersion = 1
do {
  stack = try await Stack.open(
    Version1.Song.self, at: file, options: options)
} catch let error as StoreError {
  chapter.show("\(error.code): \(error.message)")
}

// The release after next meets a device that skipped a release. So the description of each version
// is committed, and a test opens a store that is made from it.
chapter.section("A rehearsal: from version 1 to 3 in one go, with fifty rows of odd values")
options.schemaVersion = 3
options.migrations = [Version3.splitArtists]
let rehearsal = try await rehearseMigration(
  from: description, to: Version3.Song.self, Version3.Artist.self,
  options: options)
chapter.show(
  "\(rehearsal.rowsBefore["songs"] ?? 0) songs before, \(rehearsal.rowsAfter["Song"] ?? 0) after"
)
await rehearsal.stack.close()

chapter.end("\(counts.0) songs of \(counts.1) artists, at version 3")
