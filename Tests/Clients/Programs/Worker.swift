import Foundation
import Strata
import StrataImport

extension Song {
  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title").required()
    Field(\.bpm, "tempo.bpm")
    Field(\.genre, "genre")
    Field(\.tags, "tags")
    Field(\.loved, "loved").onlyWhenInserted()
    Field(\.artistID, "artist.id")
    Field(\.updatedAt, "updated_at", .iso8601)
  }
}

actor SongImporter {
  private let scratch: ScratchContext
  init(_ stack: Stack) { scratch = stack.makeScratch() }

  func run(_ data: Data) async throws -> ImportResult {
    let result = try await scratch.importJSON(
      Song.self, from: .data(data), mapping: Song.json, absent: .delete)
    for var song in try await scratch.fetch(Song.where { $0.title == "" }) {
      song.title = "Untitled"
      scratch.upsert(song)
    }
    try await scratch.save()
    return result
  }
}

func importAll(_ stack: Stack, _ data: Data) async throws -> Int {
  let importer = SongImporter(stack)
  let result = try await importer.run(data)
  let count = try await stack.withScratch { scratch in
    for song in try await scratch.fetch(Song.all) { scratch.update(song) { $0.bpm = 100 } }
    return try await scratch.count(Song.all)
  }
  return result.inserted + count
}

// The same work without an actor: a task takes the scratch context.
func background(_ stack: Stack) -> Task<Void, any Error> {
  let scratch = stack.makeScratch()
  return Task { @concurrent in
    scratch.insert(Song(title: "In the background"))
    try await scratch.save()
  }
}

// Prints the changes of songs since a token, except the sync's own commits. Returns the new token.
func changesToPush(_ stack: Stack, since token: HistoryToken?) async throws -> HistoryToken? {
  var token = token
  for try await entry in stack.history(since: token) where entry.author != "sync" {
    let songs = entry.changes.changes(of: Song.self)
    print(entry.date, songs.inserted.count, songs.updated.map(\.after.title))
    token = entry.token
  }
  return token
}

func pull(_ stack: Stack, _ songs: [Song]) async throws -> HistoryToken {
  let scratch = stack.makeScratch()
  scratch.author = "sync"
  for song in songs { scratch.upsert(song) }
  return stack.historyToken(at: try await scratch.save())
}
