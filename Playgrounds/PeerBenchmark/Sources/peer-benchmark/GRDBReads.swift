import Foundation
import GRDB

/// GRDB's sides of W3, W4, W5 and W10.
@MainActor
struct GRDBReads<R: GRDBRecord> {
  let bench: Bench

  init(_ bench: Bench) { self.bench = bench }

  func all() async throws -> Peer.Side {
    let pool = try openPool(try await bench.newStore(songs: 100_000))
    return {
      var times: [Double] = []
      for _ in 0..<5 {
        let watch = Stopwatch()
        let found = try await pool.read { try R.fetchAll($0) }
        times.append(watch.milliseconds)
        try check(found.count == 100_000, "the songs that GRDB fetched")
      }
      return [times.percentile(0.5)]
    }
  }

  func pages() async throws -> Peer.Side {
    let pool = try openPool(try await bench.newStore(songs: 100_000))
    return {
      let watch = Stopwatch()
      var count = 0
      for start in Pages.starts {
        count += try await pool.read { try R.page(from: start).fetchAll($0) }.count
      }
      let time = watch.milliseconds
      try check(count > 49 * Pages.starts.count, "the pages that GRDB fetched")
      return [time, time]
    }
  }

  func byKey() async throws -> Peer.Side {
    let count = 100_000
    let pool = try openPool(try await bench.newStore(songs: count))
    let keys = (0..<count).map { Int(UInt64($0 + 999).mixed % UInt64(count)) + 1 }
    return {
      let batch = Stopwatch()
      let found = try await pool.read { database in
        try keys.compactMap { try R.fetchOne(database, key: $0) }
      }
      let time = batch.milliseconds
      try check(found.map(\.song.id) == keys, "the keys that GRDB found")
      let singles = keys.prefix(5_000)
      let watch = Stopwatch()
      for key in singles {
        let found = try await pool.read { try R.fetchOne($0, key: key) }
        try check(found?.song.id == key, "song \(key)")
      }
      let each = watch.microseconds / Double(singles.count)
      return [time, each, each]
    }
  }

  func related() async throws -> Peer.Side {
    let pool = try openPool(
      try await RelatedStore.make(bench, artists: 10_000, songs: 100_000))
    return {
      var times: [Double] = []
      for _ in 0..<5 {
        let watch = Stopwatch()
        let found = try await pool.read { database in
          try GRDBBand.order(Column("id")).limit(1_000)
            .including(
              all: GRDBBand.hasMany(R.self, using: ForeignKey(["artistID"])).forKey("songs")
            )
            .asRequest(of: GRDBBandWithSongs<R>.self).fetchAll(database)
        }
        times.append(watch.milliseconds)
        try check(
          found.count == 1_000 && found.reduce(0) { $0 + $1.songs.count } > 8_000,
          "the artists that GRDB fetched")
      }
      return [times.percentile(0.5)]
    }
  }
}

private struct GRDBBand: FetchableRecord, TableRecord {
  static let databaseTableName = "bands"

  let id: Int
  let name: String

  init(row: Row) {
    id = row["id"]
    name = row["name"]
  }
}

private struct GRDBBandWithSongs<R: GRDBRecord>: FetchableRecord {
  let band: GRDBBand
  let songs: [R]

  init(row: Row) {
    band = GRDBBand(row: row)
    songs = row["songs"]
  }
}
