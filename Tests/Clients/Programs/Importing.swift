import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Artist {
  static let json = JSONMapping<Artist> {
    Field(\.id, "id")
    Field(\.name, "name").or("attributes.name").required()
    NestedKeys(Artist.songs, "song_ids")
    Tombstone(ifThere: "deleted_at")
  }
}

extension Song {
  static let linked = JSONMapping<Song> {
    Field(\.id, "id")
    NestedObject(\.artistID, "artist", Artist.json)
    NestedKeys(Song.playlists, "playlists", at: "id", allowingNumberInString: true)
  }
}

nonisolated func catalogue() -> JSONDocument {
  JSONDocument {
    JSONRecords.primary("songs", Song.json)
    JSONRecords.included("artists", Artist.json)
    JSONRecords.ignoredInclusion("labels")
    JSONRecords(at: "more", Song.linked)
    JSONRecords.deleted(Song.self, at: "removed")
    JSONRecords.member("meta")
  }
}

func importCatalogue(_ stack: Stack, _ data: Data) async throws -> ImportResult {
  var options = ImportOptions()
  options.commits = .atomic
  options.refusedRecords = .skip(listing: 10)
  options.longestRecord = 1_000_000
  let monitor = ImportMonitor()
  let watching = Task {
    for await progress in monitor.updates { print(progress.fraction ?? 0, progress.bytes) }
  }
  do {
    let result = try await stack.importJSON(
      catalogue(), from: .data(data), absent: .delete, options: options, monitor: monitor)
    await watching.value
    for record in result.refused { print(record, record.line ?? 0) }
    print(result.incompleteEntities, result.members["meta"] ?? "", result.kept)
    return result
  } catch let error as ImportError {
    print(error.code, error.result.inserted, error.path ?? "", error.found ?? "")
    throw error
  }
}

func importLines(_ stack: Stack, _ files: [URL]) async throws -> Int {
  let result = try await stack.importJSON(
    Song.self, from: files.map { .file($0).gunzipped() }, as: .lines, mapping: Song.json,
    absent: .delete(within: Song.where { $0.genre == .jazz }))
  return result.records
}

func importPieces(_ stack: Stack, _ pieces: AsyncStream<Data>, size: Int) async throws -> Int {
  let source = JSONSource.chunks(pieces).gunzipped(size: size)
  return try await stack.importJSON(Song.self, from: source, as: .lines).records
}

func importPage(_ stack: Stack, _ page: Data) async throws -> Int {
  let format = JSONFormat.array(at: "data.songs")
  return try await stack.importJSON(Song.self, from: .data(page), as: format).records
}

func refreshCatalogue(_ stack: Stack, _ url: URL) async throws -> Bool {
  var feed = Feed("catalogue", catalogue(), from: URLRequest(url: url), absent: .delete)
  feed.paging = .jsonAPI
  switch try await Refresher(stack).refresh(feed, ifOlderThan: .seconds(60)) {
  case .fresh, .notModified: return false
  case .imported(let result): return try result.members.link("last") != nil
  }
}
