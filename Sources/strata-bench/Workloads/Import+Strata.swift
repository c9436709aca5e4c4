import Foundation
import Strata
import StrataImport

private let songMapping = JSONMapping<Song> {
  Field(\.id, "id")
  Field(\.title, "title")
  Field(\.subtitle, "subtitle")
  Field(\.artistID, "artistID")
  Field(\.ccli, "ccli")
  Field(\.bpm, "bpm")
  Field(\.key, "key")
  Field(\.themes, "themes")
  Field(\.createdAt, "createdAt", .epochSeconds)
  Field(\.updatedAt, "updatedAt", .epochSeconds)
  Field(\.hidden, "hidden")
}

/// Imports a file of songs, off the main actor; returns when everything is committed and shown.
func importSongs(_ file: URL, into stack: Stack) async throws {
  try await stack.importJSON(Song.self, from: .file(file), mapping: songMapping)
}
