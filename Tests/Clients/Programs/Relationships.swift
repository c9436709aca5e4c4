import Strata

@MainActor func relationships(_ stack: Stack) async throws {
  let view = stack.viewContext
  let list = Playlist(name: "Evening")
  let songs = ["One", "Two", "Three"].map { Song(title: $0) }
  view.insert(list)
  for song in songs {
    view.insert(song)
    view.link(list, to: song, in: Playlist.songs)
  }
  view.link(songs[0], to: list, in: Song.playlists)
  view.unlink(list.id, from: songs[2].id, in: Playlist.songs)
  try await view.link(list, to: songs[1], at: 0, in: Playlist.songs)
  try await view.insert(Playlist(name: "Late"), at: 0, in: Playlist.shelved, of: list)
  let titles = try await view.fetch(Playlist.songs(of: list).where { $0.title != "" }).map(\.title)
  for (song, artist, lists) in try await view.fetch(Song.all, with: Song.artist, Song.playlists) {
    print(song.title, artist?.name ?? "nobody", lists.count)
  }
  for (artist, songs) in try await stack.fetch(
    Artist.all, with: Artist.songs.narrowed { $0.where { $0.loved }.limit(3) })
  {
    print(artist.name, songs.count)
  }
  try await stack.withScratch { scratch in
    for (list, songs) in try await scratch.fetch(Playlist.all, with: Playlist.songs) {
      for song in songs { scratch.unlink(list, from: song, in: Playlist.songs) }
    }
  }
  let artist = try await view.fetch(Song.artist, of: songs[0])
  try await view.save()
  print(titles, artist?.name ?? "nobody")
}
