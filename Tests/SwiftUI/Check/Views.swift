import Adapter
import Strata
import SwiftUI

struct Song: Entity {
  var id = 0
  var title = ""
  var genre = ""

  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.genre)
  }
}

struct SongList: View {
  @Environment(ViewContext.self) private var view
  @Environment(\.strataStack) private var stack
  @LiveFetch private var songs: LiveElements<Song>

  init(genre: String) {
    _songs = LiveFetch(Song.where { $0.genre == genre }, reading: [\.title])
  }

  var body: some View {
    Text("\(songs.count) songs")
    List(songs) { Text($0.title) }
    Button("Save") { Task { try await view.save() } }
      .disabled(!view.hasChanges)
    Button("Undo") { view.undo() }
      .disabled(!view.canUndo || stack == nil)
  }
}

/// A view that lends its live query to a stand-in for a search field.
struct Search: View {
  @MainActor final class Field { var songs: LiveQuery<Song>? }

  @LiveFetch(Song.all) private var songs
  let field: Field

  var body: some View {
    let _ = field.songs = $songs
    List(songs) { Text($0.title) }
  }
}

struct Genres: View {
  @SectionedLiveFetch(Song.sorted(by: \.title), by: \.genre) private var genres

  var body: some View {
    List(genres, id: \.name) { genre in
      Section(genre.name) { ForEach(genre.elements) { Text($0.title) } }
    }
  }
}

struct Badge: View {
  @LiveAggregate<Song, Int> private var number: Int?
  @LiveAggregate(.count, of: Song.all.grouped(by: \.genre)) private var genres: [String: Int]?

  init(genre: String) {
    _number = LiveAggregate(.count, of: Song.where { $0.genre == genre })
  }

  var body: some View {
    Text(number.map { "\($0) in all" } ?? "no number")
    Text($number.error?.message ?? "\(genres?["modal"] ?? 0) modal")
  }
}

struct Singer: Entity {
  var id = 0
  var name = ""

  static let recordings = toMany(\Recording.singerID)
  static let schema = Schema<Singer>("singers", key: \.id) {
    Attribute(\.name)
    recordings
  }
}

struct Recording: Entity {
  var id = 0
  var singerID: Int?

  static let singer = toOne(\.singerID, Singer.self)
  static let schema = Schema<Recording>("recordings", key: \.id) { singer }
}

struct Singers: View {
  @LiveTreeFetch<Singer, (Singer, LiveElements<Recording>, Int)> private var singers:
    LiveTreeElements<Singer, (Singer, LiveElements<Recording>, Int)>

  init(before id: Int) {
    _singers = LiveTreeFetch(
      Singer.where { $0.id < id }, with: Singer.recordings, .count(of: Singer.recordings))
  }

  var body: some View {
    Text($singers.error?.message ?? "")
    List(singers, id: \.0.id) { singer, recordings, count in
      Text("\(singer.name): \(recordings.count) of \(count)")
    }
  }
}

struct Letters: View {
  @SectionedLiveFetch(Song.all, section: { String($0.title.prefix(1)) }) private var letters

  var body: some View {
    Text($letters.error?.message ?? "")
    List(letters, id: \.name) { Text("\($0.name) \($0.elements.count)") }
  }
}
