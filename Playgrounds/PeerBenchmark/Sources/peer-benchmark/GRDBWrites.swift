import Foundation
import GRDB

/// GRDB's sides of W1, W2, W6, W8 and W9.
@MainActor
struct GRDBWrites<R: GRDBRecord> {
  let bench: Bench

  init(_ bench: Bench) { self.bench = bench }

  /// Times `body` over a new copy of the store, then compares the stored songs.
  private func timed(
    songs: Int, expecting expected: [Song], _ body: (DatabasePool) async throws -> Void
  ) async throws -> [Double] {
    let url = try await bench.newStore(songs: songs)
    defer { bench.remove(url) }
    let pool = try openPool(url)
    let watch = Stopwatch()
    try await body(pool)
    let time = watch.milliseconds
    try pool.close()
    try SongTable(url).verify(expected)
    return [time]
  }

  func insert() -> Peer.Side {
    let songs = Song.generated(100_000)
    let records = songs.map(R.init)
    return {
      try await timed(songs: 0, expecting: songs) { pool in
        try await pool.write { database in
          for record in records { try record.insert(database) }
        }
      }
    }
  }

  func upsert(_ each: UpsertCase) -> Peer.Side {
    let songs = each.songs
    let records = songs.map(R.init)
    return {
      try await timed(songs: songs.count, expecting: songs) { pool in
        try await pool.write { database in
          for record in records { try record.upsert(database) }
        }
      }
    }
  }

  func importing() throws -> Peer.Side {
    let songs = Song.generated(100_000)
    let file = bench.newFile("json")
    try songs.json.write(to: file, atomically: false, encoding: .utf8)
    return {
      try await timed(songs: 0, expecting: songs) { pool in
        let parsed = try SongObject.songs(in: Data(contentsOf: file)).map(R.init)
        try await pool.write { database in
          for record in parsed { try record.upsert(database) }
        }
      }
    }
  }

  /// Returns a side of one-row commits, first without waiting in between, then awaited one by one.
  func commits() async throws -> Peer.Side {
    let pool = try openPool(try await bench.newStore(songs: 100_000))
    let records = Self.edited
    return {
      let watch = Stopwatch()
      for record in records {
        try pool.writeWithoutTransactionSync { database in
          try database.inTransaction {
            try record.update(database)
            return .commit
          }
        }
      }
      let each = watch.microseconds / Double(records.count)
      var times: [Double] = []
      for record in records {
        let watch = Stopwatch()
        try await pool.write { database in
          var record = record
          record.bpm += 1
          try record.update(database)
        }
        times.append(watch.microseconds)
      }
      let (p50, p99) = (times.percentile(0.5), times.percentile(0.99))
      return [each, p50, p99, p50, p99]
    }
  }

  /// Returns a side of one-row commits beside a reader of pages.
  func besideReader() -> Peer.Side {
    let records = Self.edited
    return {
      let url = try await bench.newStore(songs: 100_000)
      defer { bench.remove(url) }
      let pool = try openPool(url)
      let isDone = DoneFlag()
      let pages = Task.detached { try await Self.readPages(pool, until: isDone) }
      let watch = Stopwatch()
      for record in records { try await pool.write { try record.update($0) } }
      let commit = watch.microseconds / Double(records.count)
      isDone.raise()
      return [commit, try await pages.value]
    }
  }

  @concurrent
  private static func readPages(
    _ pool: DatabasePool, until isDone: DoneFlag
  ) async throws -> Double {
    let watch = Stopwatch()
    var count = 0
    while !isDone.isRaised {
      let start = Pages.starts[count % Pages.starts.count]
      let page = try await pool.read { try R.page(from: start).fetchAll($0) }
      try check(page.first.map { $0.song.title >= start } != false, "a page of GRDB")
      count += 1
    }
    return watch.microseconds / Double(count)
  }

  private static var edited: [R] {
    (0..<10_000).map { number in
      var record = R(Song(number: Int(UInt64(number + 999).mixed % 100_000) + 1))
      record.bpm += 1
      return record
    }
  }
}

extension DatabasePool {
  /// Calls the synchronous method by a name that overload resolution cannot mistake in an async
  /// function.
  fileprivate func writeWithoutTransactionSync(
    _ body: (Database) throws -> Void
  ) throws {
    try writeWithoutTransaction(body)
  }
}
