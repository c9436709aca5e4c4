import Strata

/// A model with a race: an answer that comes late replaces a newer answer.
@MainActor
final class RacySearchModel {
  private let stack: Stack
  private(set) var text = ""
  private(set) var songs: [Song] = []

  init(_ stack: Stack) { self.stack = stack }

  func search(_ text: String) async throws {
    self.text = text
    songs = try await stack.fetch(Song.where { $0.title.contains(text) })
  }
}

@MainActor
final class SearchModel {
  private let stack: Stack
  private(set) var text = ""
  private(set) var songs: [Song] = []

  init(_ stack: Stack) { self.stack = stack }

  func search(_ text: String) async throws {
    self.text = text
    let found = try await stack.fetch(Song.where { $0.title.contains(text) })
    // The user may have typed on while the fetch ran.
    if text == self.text { songs = found }
  }
}
