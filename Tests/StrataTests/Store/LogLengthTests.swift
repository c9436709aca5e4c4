import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The length of the write-ahead log under a view context, which always has a commit pinned.
///
/// Commits wait for the view context as long as it takes. So the log's growth does not depend on
/// how busy the machine is.
@Suite(.inTurn) @MainActor struct LogLengthTests {
  private let limit = 256 * 1024
  /// The greatest length that the log may reach.
  ///
  /// An attempt to restart the log does nothing while a live query loads. The next attempt comes a
  /// sixteenth of the limit later. Without the rule the log would grow to about seventeen times the
  /// limit.
  private var bound: Int { 8 * limit }

  private func stack() async throws -> Stack {
    var options = Stack.Options()
    options.logLimit = limit
    options.logPatience = .seconds(600)
    return try await Stack.temporary(Boat.self, Harbour.self, options: options)
  }

  private func logLength(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  /// Commits many times and returns the greatest length of the log.
  private func greatestLength(_ stack: Stack, commits: Int) async throws -> Int {
    let path = await stack.path
    var greatest = 0
    for number in 0..<commits {
      try await stack.commit { scratch in
        for id in 0..<5 {
          scratch.upsert(Boat(id: (number * 7 + id * 31) % 500, name: "\(number)", length: number))
        }
      }
      if number % 20 == 0 { greatest = max(greatest, try logLength(path)) }
    }
    return max(greatest, try logLength(path))
  }

  @Test func `the log stays short under an idle view context`() async throws {
    let stack = try await stack()
    #expect(try await greatestLength(stack, commits: 400) < bound)
    await stack.close()
  }

  @Test func `the log stays short under a view context with live queries and saves`()
    async throws
  {
    let stack = try await stack()
    let live = try await stack.viewContext.loaded(
      Boat.sorted(by: \.length, order: .reverse).limit(20))
    let hop = try await stack.viewContext.loaded(Boat.where { $0.harbour.isOpen })
    let saving = Task {
      for number in 0..<50 {
        stack.viewContext.insert(Boat(id: 1_000 + number))
        try await stack.viewContext.save()
      }
    }
    #expect(try await greatestLength(stack, commits: 400) < bound)
    try await saving.value
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    let elements = Array(live.elements)
    #expect(
      elements == (try await stack.fetch(Boat.sorted(by: \.length, order: .reverse).limit(20))))
    #expect(hop.elements.isEmpty)
    await stack.close()
  }

  @Test func `a snapshot keeps its commit while the log is started again around it`() async throws {
    let stack = try await stack()
    try await stack.commit { $0.insert(Boat(id: 1, name: "old")) }
    let pinned = stack.makeScratch()
    #expect(try await pinned.find(Boat.self, 1)?.name == "old")
    _ = try await greatestLength(stack, commits: 300)
    #expect(try await pinned.fetch(Boat.all) == [Boat(id: 1, name: "old")])
    await pinned.refresh()
    #expect(try await pinned.fetch(Boat.all) == (try await stack.fetch(Boat.all)))
    await stack.close()
  }

  @Test func `no reader sees half a commit while the log is started again`() async throws {
    let stack = try await stack()
    let pair = (1...2).map { Boat(id: $0) }
    try await stack.withScratch { scratch in pair.forEach(scratch.insert) }
    let isOver = Lock(false)
    let readers = (0..<4).map { number in
      Task { @concurrent in
        var halves = 0
        while !isOver.withLock({ $0 }) {
          let boats =
            number == 0
            ? try await stack.viewContext.fetch(Boat.all) : try await stack.fetch(Boat.all)
          if boats.count != 2 || boats[0].length != boats[1].length { halves += 1 }
        }
        return halves
      }
    }
    for number in 1...250 {
      try await stack.commit { scratch in
        for boat in pair {
          scratch.upsert(
            Boat(id: boat.id, name: String(repeating: "x", count: 3_000), length: number))
        }
      }
    }
    isOver.withLock { $0 = true }
    for reader in readers { #expect(try await reader.value == 0) }
    #expect(try await stack.viewContext.fetch(Boat.all).map(\.length) == [250, 250])
    await stack.close()
  }

  @Test func `closing finishes what was queued even if the log is past its limit`() async throws {
    let stack = try await stack()
    let stop = await WriterStop(stack)
    let name = String(repeating: "x", count: 20_000)
    let saves = (0..<60).map { id in
      Task { try await stack.commit { $0.insert(Boat(id: id, name: name)) } }
    }
    await others()
    let closing = Task { await stack.close() }
    await others()
    stop.release()
    var failures: [StoreError.Code?] = []
    for save in saves {
      if let error = await failure({ try await save.value }) { failures.append(error.code) }
    }
    await closing.value
    #expect(failures == [])
  }
}
