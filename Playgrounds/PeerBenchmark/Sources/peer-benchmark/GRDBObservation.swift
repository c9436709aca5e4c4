import Foundation
import GRDB
import Synchronization

/// GRDB's sides of W7, W7b and W7c, with `ValueObservation` on the main actor.
@MainActor
struct GRDBObservation<R: GRDBRecord> {
  private let pool: DatabasePool
  private let limit: Int?

  init(_ bench: Bench, songs: Int, limit: Int? = nil) async throws {
    pool = try openPool(try await bench.newStore(songs: songs))
    self.limit = limit
  }

  private var observation: ValueObservation<ValueReducers.Fetch<[R]>> {
    let limit = limit
    return ValueObservation.tracking { database in
      let request = R.order(Column("title"), Column("id"))
      return try (limit.map { request.limit($0) } ?? request).fetchAll(database)
    }
  }

  /// Returns a side that changes a shown row and waits for the value with the change, again and
  /// again.
  func one(changes: Int) async throws -> Peer.Side {
    let shown = Shown(observation, in: pool)
    await shown.wait { !$0.isEmpty }
    var value = 1_000.0
    return {
      var fromCommit: [Double] = []
      var fromCall: [Double] = []
      for change in 0..<changes {
        let position = Int(UInt64(change).mixed % UInt64(shown.records.count))
        value += 1
        let edited = shown.records[position].with(bpm: value)
        let expected = value
        let commit = CommitTime()
        let call = Stopwatch()
        let saving = Task.detached { [pool] in
          try await pool.write { database in
            database.afterNextTransaction { _ in commit.note() }
            try edited.update(database)
          }
        }
        await shown.wait { $0[position].bpm == expected }
        fromCommit.append(commit.microseconds)
        fromCall.append(call.microseconds)
        try await saving.value
      }
      return [
        fromCommit.percentile(0.5), fromCommit.percentile(0.99), fromCall.percentile(0.5),
      ]
    }
  }

  /// Returns a side that measures the processor time of changes outside of the shown rows.
  ///
  /// The time of the same changes without an observation is subtracted.
  func unconcerned() async throws -> Peer.Side {
    let outside = try await pool.read { database in
      try R.order(Column("title"), Column("id")).limit(200, offset: 1_000).fetchAll(database)
    }
    func change() async throws -> Double {
      let time = CPUTime()
      for (number, record) in outside.enumerated() {
        let edited = record.with(bpm: Double(1_000 + number))
        try await pool.write { try edited.update($0) }
      }
      return time.microseconds / Double(outside.count)
    }
    return {
      let alone = try await change()
      let shown = Shown(observation, in: pool)
      await shown.wait { !$0.isEmpty }
      let watched = try await change()
      shown.end()
      return [watched - alone]
    }
  }

  /// Returns a side with ten equal observations. It waits until all of them have a change.
  func ten() async throws -> Peer.Side {
    let all = (0..<10).map { _ in Shown(observation, in: pool) }
    for shown in all { await shown.wait { !$0.isEmpty } }
    var value = 1_000.0
    return {
      var times: [Double] = []
      for change in 0..<50 {
        let position = Int(UInt64(change).mixed % UInt64(all[0].records.count))
        value += 1
        let edited = all[0].records[position].with(bpm: value)
        let expected = value
        let call = Stopwatch()
        let saving = Task.detached { [pool] in try await pool.write { try edited.update($0) } }
        for shown in all { await shown.wait { $0[position].bpm == expected } }
        times.append(call.microseconds)
        try await saving.value
      }
      return [times.percentile(0.5), times.percentile(0.99)]
    }
  }
}

extension GRDBRecord {
  fileprivate func with(bpm: Double) -> Self {
    var copy = self
    copy.bpm = bpm
    return copy
  }
}

/// The last value of an observation on the main actor.
@MainActor
private final class Shown<R: GRDBRecord> {
  private(set) var records: [R] = []
  private var waiter: UnsafeContinuation<Void, Never>?
  private var observation: AnyDatabaseCancellable?

  init(_ observation: ValueObservation<ValueReducers.Fetch<[R]>>, in pool: DatabasePool) {
    self.observation = observation.start(
      in: pool, onError: { fatalError("\($0)") },
      onChange: { [weak self] records in
        guard let self else { return }
        self.records = records
        waiter?.resume()
        waiter = nil
      })
  }

  func wait(until isRight: ([R]) -> Bool) async {
    while !isRight(records) { await withUnsafeContinuation { waiter = $0 } }
  }

  func end() { observation = nil }
}

/// The moment of a commit, noted on the writer's queue.
private final class CommitTime: Sendable {
  private let time = Mutex<ContinuousClock.Instant?>(nil)

  func note() { time.withLock { $0 = .now } }

  var microseconds: Double {
    time.withLock { $0 }.map { $0.duration(to: .now) / .microseconds(1) } ?? .nan
  }
}
