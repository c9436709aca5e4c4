import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn) @MainActor struct FaultyDiskTests {
  let disk: FaultyDisk
  init() throws { disk = try FaultyDisk() }

  @Test func `a save fails on a full disk, and works when there is room`() async throws {
    let stack = try await Stack.open(Song.self, Artist.self, at: disk.url)
    stack.viewContext.insert(Song(id: 1))
    disk.fail(.full)
    await #expect(throws: StoreError.self) { try await stack.viewContext.save() }
    #expect(stack.viewContext.saveError?.code == .diskFull && stack.viewContext.hasChanges)
    #expect(disk.recover() > 0)
    try await stack.viewContext.save()
    #expect(try await stack.count(Song.all) == 1)
    await stack.close()
  }

  @Test func `one call fails, and the next save works`() async throws {
    let stack = try await Stack.open(Song.self, Artist.self, at: disk.url)
    stack.viewContext.insert(Song(id: 1))
    disk.fail(.writes, calls: 1)
    await #expect(throws: StoreError.self) { try await stack.viewContext.save() }
    #expect(stack.viewContext.saveError?.code == .inputOutput)
    try await stack.viewContext.save()
    await stack.close()
  }

  // The end of a disk must not end the faults of another disk at the same URL.
  @Test func `a disk in the place of another one fails`() async throws {
    let url = disk.url
    var other: FaultyDisk? = FaultyDisk(at: url)
    other = FaultyDisk(at: url)
    other?.fail(.opening)
    await #expect(throws: StoreError.self) {
      try await Stack.open(Song.self, Artist.self, at: url)
    }
    other = nil
    await (try Stack.open(Song.self, Artist.self, at: url)).close()
  }

  @Test func `a store that cannot be opened says so`() async throws {
    disk.fail(.opening)
    let error = await #expect(throws: StoreError.self) {
      try await Stack.open(Song.self, Artist.self, at: disk.url)
    }
    #expect(error?.code == .cannotOpen)
    disk.recover()
    await (try Stack.open(Song.self, Artist.self, at: disk.url)).close()
  }

  @Test func `a fetch of a store that cannot be read fails`() async throws {
    var stack = try await Stack.open(Song.self, Artist.self, at: disk.url)
    try await stack.withScratch { scratch in
      for id in 0..<10_000 { scratch.insert(Song(id: id, title: "Song \(id)")) }
    }
    await stack.close()
    stack = try await Stack.open(Song.self, Artist.self, at: disk.url)
    disk.fail(.reads)
    let error = await #expect(throws: StoreError.self) { try await stack.fetch(Song.all) }
    #expect(error?.code == .inputOutput)
    disk.recover()
    #expect(try await stack.fetch(Song.all).count == 10_000)
    await stack.close()
  }

  /// SQLite resolves links before it opens a file. The faults must apply to the resolved path.
  @Test func `a store behind a symbolic link fails, too`() async throws {
    let files = FileManager.default
    let folder = disk.url.deletingLastPathComponent()
    let (real, link) = (folder.appending(path: "real"), folder.appending(path: "link"))
    try files.createDirectory(at: real, withIntermediateDirectories: false)
    try files.createSymbolicLink(at: link, withDestinationURL: real)
    let linked = FaultyDisk(at: link.appending(path: "linked.sqlite"))
    let stack = try await Stack.open(Song.self, Artist.self, at: linked.url)
    stack.viewContext.insert(Song(id: 1))
    linked.fail(.full)
    await #expect(throws: StoreError.self) { try await stack.viewContext.save() }
    #expect(linked.recover() > 0)
    try await stack.viewContext.save()
    await stack.close()
  }

  @Test func `other stores are left alone, and the folder goes with the disk`() async throws {
    let other = try FaultyDisk()
    disk.fail(.full)
    let stack = try await Stack.open(Song.self, Artist.self, at: other.url)
    try await stack.withScratch { $0.insert(Song(id: 1)) }
    await stack.close()
    var third: FaultyDisk? = try FaultyDisk()
    let folder = try #require(third?.url.deletingLastPathComponent().path)
    #expect(FileManager.default.fileExists(atPath: folder))
    third = nil
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
