import Foundation
import Strata

/// An error of the measurement, or a wrong result.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless a result is right.
///
/// Expensive checks are outside of the timed code.
func check(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
  if !isRight { throw BenchError("wrong result: \(what())") }
}

/// The options and the store files that the workloads share.
///
/// The files are in a folder that ``finish()`` removes. All sides begin with copies of one file, so
/// their tables, indexes and pages are the same.
@MainActor
final class Bench {
  /// The number of measured repetitions. A warm-up repetition comes before them and does not count.
  let repetitions: Int
  /// The libraries that are measured besides Strata and raw SQLite.
  let peers: [Peer]
  private let isRepeating: (Int) -> Void
  private let folder: URL
  private var lastFile = 0
  private var templates: [String: URL] = [:]

  /// - Parameter isRepeating: A function that is called with the number of each repetition, 0 for
  ///   the warm-up, when it begins.
  init(
    repetitions: Int, peers: [Peer], isRepeating: @escaping (Int) -> Void = { _ in }
  ) throws {
    self.repetitions = repetitions
    self.peers = peers
    self.isRepeating = isRepeating
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-bench-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  /// Removes every file.
  func finish() { try? FileManager.default.removeItem(at: folder) }

  // MARK: Files

  /// Returns an unused file name.
  func newFile(_ suffix: String) -> URL {
    lastFile += 1
    return folder.appendingPathComponent("\(lastFile).\(suffix)")
  }

  /// Makes a store file with the first `songs` songs.
  func newStore<E: Entity>(_ entity: E.Type = Song.self, songs: Int) async throws -> URL {
    let copy = newFile("sqlite")
    try FileManager.default.copyItem(at: try await template(entity, songs: songs), to: copy)
    return copy
  }

  private func template<E: Entity>(_ entity: E.Type, songs: Int) async throws -> URL {
    let name = "\(entity), \(songs)"
    if let known = templates[name] { return known }
    let url = newFile("sqlite")
    // Strata creates the tables, so that all sides have its layout.
    try await Stack.open(entity, at: url).close()
    if songs > 0 {
      let raw = try RawConnection(url.path)
      let insert = try raw.prepare(SongSQL.insert)
      try raw.transaction {
        for number in 1...songs {
          insert.bind(Song(number: number))
          try insert.run()
        }
      }
      try raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    templates[name] = url
    return url
  }

  func remove(_ url: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  /// Runs `body` with a stack over a copy of the store with the first `songs` songs.
  ///
  /// Then `verify` gets the closed file.
  func withStack<R, E: Entity>(
    _ entity: E.Type = Song.self, songs: Int, options: Stack.Options = Stack.Options(),
    verify: (URL) throws -> Void = { _ in }, _ body: (Stack) async throws -> R
  ) async throws -> R {
    let url = try await newStore(entity, songs: songs)
    defer { remove(url) }
    let stack = try await Stack.open(entity, at: url, options: options)
    let result: R
    do { result = try await body(stack) } catch {
      await stack.close()
      throw error
    }
    await stack.close()
    try verify(url)
    return result
  }

  /// Runs `body` with a connection of SQLite's C interface over such a copy.
  ///
  /// Then `verify` gets the closed file.
  func withRaw<R, E: Entity>(
    _ entity: E.Type = Song.self, songs: Int, verify: (URL) throws -> Void = { _ in },
    _ body: (RawConnection) async throws -> R
  ) async throws -> R {
    let url = try await newStore(entity, songs: songs)
    defer { remove(url) }
    let result = try await body(RawConnection(url.path))
    try verify(url)
    return result
  }

  // MARK: Repeating

  /// The numbers of the repetitions, 0 for the warm-up. Each is reported when it begins.
  var rounds: some Sequence<Int> {
    (0...repetitions).lazy.map { [isRepeating] number in
      isRepeating(number)
      return number
    }
  }

  /// Measures Strata alone, for metrics that no other side has.
  func measure(
    _ metrics: [String], _ strata: () async throws -> [Double]
  ) async throws -> [Figure] {
    var figures = metrics.map { Figure(metric: $0, peers: peers.count) }
    for repetition in rounds {
      figures.add(try await strata(), to: \.strata, repetition == 0)
    }
    return figures
  }

  /// Runs the sides in turn. Each repetition begins with the next side.
  ///
  /// A side returns a sample for each of `metrics`.
  ///
  /// - Parameter floors: The floors of the metrics; nil for a metric that has no other floor than the
  ///   raw work. Bare changes of threads are measured in turns with the sides.
  func compare(
    _ metrics: [String], floors: [Floor?] = [], strata: () async throws -> [Double],
    raw: () async throws -> [Double]
  ) async throws -> [Figure] {
    var figures = metrics.map { Figure(metric: $0, peers: peers.count) }
    var others: [(index: Int, side: Peer.Side)] = []
    for (index, peer) in peers.enumerated() {
      if let side = try await peer.side(self, metrics[0]) { others.append((index, side)) }
    }
    let sides = others.count + 2
    for repetition in rounds {
      let isWarmUp = repetition == 0
      var rawSamples: [Double] = []
      let changes = floors.isEmpty ? ThreadChanges() : try await ThreadChanges.measured()
      for turn in 0..<sides {
        let position = (repetition + turn) % sides
        switch position {
        case 0: figures.add(try await strata(), to: \.strata, isWarmUp)
        case 1:
          rawSamples = try await raw()
          figures.add(rawSamples, to: \.raw, isWarmUp)
        default:
          let (index, side) = others[position - 2]
          figures.add(try await side(), to: \.peers[index], isWarmUp)
        }
      }
      if isWarmUp { continue }
      for case (let index, let floor?) in floors.enumerated() {
        figures[index].floor.append(floor(changes, rawSamples))
      }
    }
    return figures
  }
}

extension [Figure] {
  /// Adds a sample to each figure, except in the warm-up repetition.
  fileprivate mutating func add(
    _ samples: [Double], to side: WritableKeyPath<Figure, [Double]>, _ isWarmUp: Bool
  ) {
    if isWarmUp { return }
    for index in indices { self[index][keyPath: side].append(samples[index]) }
  }
}
