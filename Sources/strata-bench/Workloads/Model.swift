import Foundation
import Strata

extension Workload {
  /// The opening of a large app's model, and its cost for operations on another entity.
  static let model = Workload(
    name: "model",
    summary:
      "60 entities, 8 with 60 attributes and 20 relationships: opening against SQLite alone, "
      + "one-row operations against a model of one entity"
  ) { bench in
    let setUp = clock()
    for entity in LargeModel.entities {
      try check(entity.tableName.hasPrefix("entity"), "a schema")
    }
    var once = Figure(metric: "schemas, once a process, CPU ms", peers: bench.peers.count)
    once.strata.append(Double(clock() - setUp) * 1000 / Double(CLOCKS_PER_SEC))
    once.raw.append(.nan)
    return try await [once] + opening(bench) + operations(bench)
  }

  private static let entities: [any Entity.Type] = LargeModel.entities + [Song.self]

  // MARK: Opening

  @MainActor
  private static func opening(_ bench: Bench) async throws -> [Figure] {
    let template = bench.newFile("sqlite")
    try await Stack.open(entities, at: template).close()
    let statements = try RawConnection(template.path).schema()
    return try await bench.compare(["create an empty store ms", "open it ms", "close it ms"]) {
      let url = bench.newFile("sqlite")
      defer { bench.remove(url) }
      let creating = Stopwatch()
      let created = try await Stack.open(entities, at: url)
      let creatingTime = creating.milliseconds
      await created.close()
      let opening = Stopwatch()
      let stack = try await Stack.open(entities, at: url)
      let openingTime = opening.milliseconds
      try check(try await stack.viewContext.count(Entity00.all) == 0, "an empty table")
      let closing = Stopwatch()
      await stack.close()
      return [creatingTime, openingTime, closing.milliseconds]
    } raw: {
      let url = bench.newFile("sqlite")
      defer { bench.remove(url) }
      let creating = Stopwatch()
      var raw: RawConnection? = try RawConnection(url.path)
      try raw?.transaction { for statement in statements { try raw?.execute(statement) } }
      let creatingTime = creating.milliseconds
      raw = nil
      let opening = Stopwatch()
      raw = try RawConnection(url.path)
      let isEmpty = try raw?.prepare("SELECT * FROM entity0").step() == false
      let openingTime = opening.milliseconds
      try check(isEmpty, "an empty table")
      let closing = Stopwatch()
      raw = nil
      return [creatingTime, openingTime, closing.milliseconds]
    }
  }

  // MARK: Operations

  @MainActor
  private static func operations(_ bench: Bench) async throws -> [Figure] {
    let large = try await Stack.open(entities, at: bench.newFile("sqlite"))
    let small = try await Stack.open(Song.self, at: bench.newFile("sqlite"))
    let songs = Song.generated(1_000)
    for stack in [large, small] {
      try await stack.withScratch { for song in songs { $0.insert(song) } }
    }
    let metrics = ["find one µs", "fetch 50 by title µs", "save one row µs"]
    let figures = try await bench.compare(metrics) {
      try await operations(large, songs)
    } raw: {
      try await operations(small, songs)
    }
    await large.close()
    await small.close()
    return figures
  }

  private static func operations(_ stack: Stack, _ songs: [Song]) async throws -> [Double] {
    let (view, count) = (await stack.viewContext, Double(songs.count))
    let finding = Stopwatch()
    for song in songs {
      try check(try await view.find(Song.self, song.id)?.id == song.id, "a song")
    }
    let findingTime = finding.microseconds / count
    let fetching = Stopwatch()
    for song in songs {
      let page = try await view.fetch(
        Song.where { $0.title >= song.title }.sorted(by: \.title).limit(50))
      try check(page.first == song, "the first of a page")
    }
    let fetchingTime = fetching.microseconds / count
    let scratch = stack.makeScratch()
    let saving = Stopwatch()
    for song in songs {
      scratch.update(song) { $0.themes += "!" }
      try await scratch.save()
    }
    let savingTime = saving.microseconds / count
    // The songs get their first values back for the next repetition.
    for song in songs { scratch.upsert(song) }
    try await view.waitUntilMerged(try await scratch.save())
    return [findingTime, fetchingTime, savingTime]
  }
}

extension Entity {
  /// The table's name. Reading it makes the schema.
  fileprivate static var tableName: String { schema.name }
}

extension RawConnection {
  /// Returns the statements that make the file's tables and indexes.
  fileprivate func schema() throws -> [String] {
    let rows = try prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    var statements: [String] = []
    while try rows.step() { statements.append(rows.text(0)) }
    return statements
  }
}
