// The code of the article MovingCoreData.

import Foundation
import Strata

@concurrent func moveLibrary(from url: URL, to stack: Stack) async throws {
  let old = try OldStore(url)
  let scratch = stack.makeScratch()

  let metadata = try old.rows("SELECT Z_UUID FROM Z_METADATA")
  guard try metadata.next(), let store = UUID(uuidString: metadata.text(0) ?? "") else {
    throw OldStoreError(message: "not a Core Data store")
  }
  func artistKey(_ rows: Rows, row: Int32, id: Int32) -> Artist.ID? {
    rows.uuid(id) ?? rows.integer(row).map { UUID(row: $0, of: store) }
  }

  let artists = try old.rows("SELECT Z_PK, ZID, ZNAME, ZWEBSITE FROM ZARTIST")
  while try artists.next() {
    guard let id = artistKey(artists, row: 0, id: 1) else { continue }
    var artist = Artist(id: id, name: artists.text(2))
    artist.website = artists.text(3).flatMap(URL.init(string:))
    scratch.upsert(artist)
  }

  let labels = try old.rows("SELECT Z_PK, ZNAME, ZCREATEDAT FROM ZLABEL")
  while try labels.next() {
    var label = Label(id: Key(UUID(row: labels.integer(0) ?? 0, of: store)))
    label.name = labels.text(1)
    label.createdAt = labels.date(2) ?? label.createdAt
    scratch.upsert(label)
  }

  // A to-one is the row of its target: a join has the target's key.
  let albums = try old.rows(
    """
    SELECT a.ZBARCODE, a.ZTITLE, a.ZPRICE, a.ZCOVER, a.ZLABEL, a.ZARTIST, r.ZID
    FROM ZALBUM a LEFT JOIN ZARTIST r ON r.Z_PK = a.ZARTIST
    """)
  while try albums.next() {
    var album = Album(barcode: albums.text(0) ?? "", title: albums.text(1) ?? "")
    album.price = albums.text(2).flatMap { Decimal(string: $0, locale: nil) }
    album.cover = try albums.external(3)
    album.labelID = Key(UUID(row: albums.integer(4) ?? 0, of: store))
    album.artistID = artistKey(albums, row: 5, id: 6)
    scratch.upsert(album)
  }

  // Children are in the table of their parent: Z_ENT says what a row is. Z_FOK_ALBUM orders them.
  let media = try old.rows(
    """
    SELECT m.Z_PK, e.Z_NAME, m.ZTITLE, m.ZDURATION, m.ZPLAYS, a.ZBARCODE, m.Z_FOK_ALBUM
    FROM ZMEDIA m JOIN Z_PRIMARYKEY e ON e.Z_ENT = m.Z_ENT LEFT JOIN ZALBUM a ON a.Z_PK = m.ZALBUM
    """)
  while try media.next() {
    var item = Media(id: Key(UUID(row: media.integer(0) ?? 0, of: store)))
    item.entityKind = media.text(1) == "Song" ? .song : .audiobook
    item.title = media.text(2)
    item.duration = Float(media.real(3) ?? 0)
    item.plays = media.integer(4).flatMap(Int16.init(exactly:))
    item.albumID = media.text(5)
    item.albumPosition = media.real(6) ?? 0
    scratch.upsert(item)
  }

  let playlists = try old.rows("SELECT Z_PK, ZNAME FROM ZPLAYLIST")
  while try playlists.next() {
    scratch.upsert(
      Playlist(
        id: Key(UUID(row: playlists.integer(0) ?? 0, of: store)), name: playlists.text(1)))
  }

  // A many-to-many is a table, named after the number of an entity and the relationship.
  let items = try old.rows(
    "SELECT Z_9PLAYLISTS, Z_7ITEMS FROM Z_7PLAYLISTS ORDER BY Z_9PLAYLISTS, Z_FOK_7ITEMS")
  while try items.next() {
    guard let playlist = items.integer(0), let item = items.integer(1) else { continue }
    scratch.link(
      Key(UUID(row: playlist, of: store)), to: Key(UUID(row: item, of: store)),
      in: Playlist.items)
  }

  try await scratch.save()
}
