import Foundation

/// The songs in a closed store file, read by SQLite alone.
struct SongTable {
  private let connection: RawConnection

  init(_ url: URL) throws { connection = try RawConnection(url.path) }

  /// Throws unless the table has exactly these songs. They must be in key order.
  func verify(_ songs: [Song]) throws {
    let rows = try connection.prepare("\(SongSQL.select) ORDER BY id")
    var count = 0
    while try rows.step() {
      try check(count < songs.count, "more than \(songs.count) rows")
      try check(rows.song == songs[count], "row \(rows.song.id)")
      count += 1
    }
    try check(count == songs.count, "\(count) rows instead of \(songs.count)")
  }
}
