import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// A file that is written anew without unused space.
@Suite(.inTurn) struct CompactingTests {
  private let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  private func open(busyTimeout: Duration = .seconds(5)) async throws -> Stack {
    var options = Stack.Options()
    options.busyTimeout = busyTimeout
    return try await Stack.open(Page.self, Shelf.self, at: folder.url, options: options)
  }

  /// Inserts 2,000 pages and deletes all but every tenth, so that most of the file is unused.
  private func thin(_ stack: Stack) async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Shelf(id: 1, name: "shelf"))
      for id in 0..<2000 {
        var page = Page(id: "page \(id)", title: "number\(id) of ten\(id % 10)", shelfID: 1)
        page.body = String(repeating: "words and more ", count: 30)
        (page.latitude, page.longitude) = (Double(id % 90), Double(id % 180))
        scratch.insert(page)
      }
    }
    try await stack.delete(Page.where { !$0.matches("ten0") })
  }

  /// The rows, and the answers of both search indexes, which go by the row numbers.
  private func answers(_ stack: Stack) async throws -> [[String]] {
    let near = Coordinate(latitude: 50, longitude: 50)
    return [
      try await stack.fetch(Page.sorted(by: \.id)).map(\.title),
      try await stack.fetch(Page.where { $0.matches("number1990") }).map(\.id),
      try await stack.fetch(Page.where { $0.matches("more") }).map(\.id).sorted(),
      try await stack.fetch(Page.where { $0.location.isWithin(meters: 2_000_000, of: near) }).map(
        \.id
      )
      .sorted(),
    ]
  }

  private func size(of suffix: String) -> Int { Int(FileStatus(folder.path + suffix)?.size ?? 0) }

  @Test @MainActor func `a compacted store is smaller and has the same rows and indexes`()
    async throws
  {
    let (stack, other) = (try await open(), try await open())
    try await thin(stack)
    let live = try await stack.viewContext.loaded(Page.sorted(by: \.title))
    let before = try await answers(stack)
    #expect(before[0].count == 200 && before[1] == ["page 1990"] && before[2].count == 200)
    #expect(!before[3].isEmpty)
    var updates = live.updates.makeAsyncIterator()
    let commit = stack.store.newestCommit
    // The other stack's view context shows the commit, so it holds no older state.
    try await other.viewContext.waitUntilMerged(commit)

    let freed = try await stack.compact()
    #expect(freed > 1_000_000 && size(of: "") < 1_000_000)
    #expect(stack.store.newestCommit == commit)
    #expect(try await answers(stack) == before)
    #expect(try await answers(other) == before)
    // The first change that is told is that of the next commit, and both stacks go on.
    try await stack.withScratch { $0.insert(Page(id: "a", title: "number1990 again")) }
    let update = await updates.next()
    #expect(update?.isReset == false && update?.insertions.count == 1)
    try await other.withScratch { $0.insert(Page(id: "b", title: "number1990 too")) }
    for stack in [stack, other] {
      #expect(
        try await stack.fetch(Page.where { $0.matches("number1990") }).map(\.id).sorted()
          == ["a", "b", "page 1990"])
    }
    try await stack.viewContext.waitUntilMerged(commit + 2)
    #expect(live.elements.count == 202)
    await other.close()
    await stack.close()
    let connection = try Connection(path: folder.path, .readWrite)
    #expect(try connection.text("PRAGMA quick_check") == "ok")
    #expect(try LogMark.isReadable(connection))
    #expect(try connection.integer("PRAGMA freelist_count") == 0)
  }

  @Test func `a context keeps its older state, and gives the space back later`() async throws {
    let stack = try await open()
    try await thin(stack)
    let pinned = stack.makeScratch()
    #expect(try await pinned.fetch(.count, of: Page.all) == 200)
    try await stack.withScratch { $0.insert(Page(id: "a", title: "new")) }
    try await stack.compact()
    #expect(try await pinned.fetch(.count, of: Page.all) == 200)
    #expect(try await stack.fetch(.count, of: Page.all) == 201)
    #expect(size(of: "-wal") > 1_000_000)
    await pinned.refresh()
    try await stack.compact()
    #expect(size(of: "") < 1_000_000 && size(of: "-wal") == 0)
    #expect(try await pinned.fetch(.count, of: Page.all) == 201)
    await stack.close()
  }

  @Test func `a store that another program writes is busy`() async throws {
    let stack = try await open(busyTimeout: .milliseconds(1))
    try await thin(stack)
    let other = try Connection(path: folder.path, .existing)
    try other.run("BEGIN IMMEDIATE")
    #expect(await failure { try await stack.compact() }?.code == .busy)
    try other.run("ROLLBACK")
    #expect(try await stack.compact() > 0)
    await stack.close()
    #expect(await failure { try await stack.compact() }?.code == .closed)
  }

  @Test func `a cancelled compaction changes nothing`() async throws {
    let stack = try await open()
    try await thin(stack)
    let before = try await answers(stack)
    let flag = CancellationFlag()
    flag.raise()
    let error = await failure {
      try await stack.store.writer.submit(.bulk) { writer throws(StoreError) in
        try writer.compact(flag)
      }
    }
    #expect(error?.code == .cancelled)
    let task = Task { try await stack.compact() }
    task.cancel()
    let code = await failure { try await task.value }?.code
    #expect(code == .cancelled || code == nil)
    #expect(try await answers(stack) == before)
    try await stack.withScratch { $0.insert(Page(id: "a", title: "new")) }
    await stack.close()
  }

  @Test(arguments: FileCall.allCases)
  func `a failing file operation loses no row`(_ call: FileCall) async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(folder.path, with: plan)
    defer { ObservedFileSystem.endObserving(folder.path, with: plan) }
    let stack = try await open(busyTimeout: .milliseconds(1))
    try await thin(stack)
    let before = try await answers(stack)
    for code in FaultPlan.codes(of: call) {
      var number = 1
      while true {
        plan.arm(FaultPlan.Fault(call, number: number, code: code))
        let error = await failure { try await stack.compact() }
        let isHit = plan.disarm() > 0
        #expect(error == nil || isHit, "\(call) \(number): \(String(describing: error))")
        #expect(try await answers(stack) == before, "\(call) \(number)")
        if !isHit { break }
        // Most calls of a kind do the same for another page.
        number += number < 20 ? 1 : number / 4
      }
    }
    await stack.close()
    let connection = try Connection(path: folder.path, .readWrite)
    #expect(try connection.text("PRAGMA quick_check") == "ok")
  }
}
