import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

internal import Foundation

/// The decoding of chosen attributes into the memory of tuples.
///
/// Every kind of value must lie where the compiler puts it.
@Suite(.inTurn) struct TupleTests {
  @Test func `attributes of every kind are those that the entities have`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Track.self, Album.self)
    let values = TrackValues(&random)
    let scratch = stack.makeScratch()
    for track in values.tracks(&random) { scratch.insert(track) }
    try await scratch.save()
    let all = Track.all
    let tracks = try await stack.fetch(all)
    let mixed = try await stack.fetch(
      all, \.isLive, \.rank, \.maybeLive, \.maybeRank, \.isLive, \.title, \.maybeLength)
    let large = try await stack.fetch(
      all, \.maybeLive, \.id, \.subtitle, \.released, \.cover, \.length, \.isLive, \.albumID)
    let general = try await stack.fetch(all, \.isLive, \.genre, \.title, \.plays)
    #expect(mixed.count == tracks.count && large.count == tracks.count)
    for (index, track) in tracks.enumerated() {
      let a = mixed[index]
      #expect(a.0 == track.isLive && a.1 == track.rank && a.2 == track.maybeLive)
      #expect(a.3 == track.maybeRank && a.4 == track.isLive && a.5 == track.title)
      #expect(a.6 == track.maybeLength)
      let b = large[index]
      #expect(b.0 == track.maybeLive && b.1 == track.id && b.2 == track.subtitle)
      #expect(b.3 == track.released && b.4 == track.cover && b.5 == track.length)
      #expect(b.6 == track.isLive && b.7 == track.albumID)
      let c = general[index]
      #expect(c.0 == track.isLive && c.1 == track.genre && c.2 == track.title)
      #expect(c.3 == track.plays)
    }
    #expect(try await stack.fetch(all, \.subtitle) == tracks.map(\.subtitle))
    #expect(try await stack.fetch(all, \.cover) == tracks.map(\.cover))
    #expect(try await stack.fetch(all, \.plays) == tracks.map(\.plays))
    #expect(try await stack.fetchKeys(all) == tracks.map(\.id))
    await stack.close()
  }

  // The memory of a new array has any bytes. The byte that says nil is one of them.
  @Test(arguments: [0x00, 0x01, 0x02, 0xFF] as [UInt8])
  func `a tuple is decoded into memory with any bytes`(_ byte: UInt8) throws {
    typealias Values = (Int?, Double?, Bool?, Date?, UUID?)
    var layout = TupleLayout()
    layout.add(Int?.self)
    layout.add(Double?.self)
    layout.add(Bool?.self)
    layout.add(Date?.self)
    layout.add(UUID?.self)
    let codec = try #require(layout.codec(of: Values.self))
    let (id, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 3))
    let full = try Record([.integer(7), .real(0.5), .integer(1), date.cell, id.cell])
    let size = MemoryLayout<Values>.size
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { memory.deallocate() }
    for (record, values) in [
      (full, (7, 0.5, true, date, id) as Values),
      (try Record([Cell](repeating: .null, count: 5)), (nil, nil, nil, nil, nil) as Values),
    ] {
      memory.initializeMemory(as: UInt8.self, repeating: byte, count: size)
      record.withView { codec.initialize($0, at: memory) }
      #expect(memory.load(as: Values.self) == values)
    }
  }

  @Test func `a tuple with a value of the general kind is not decoded in place`() {
    var plain = TupleLayout()
    plain.add(Bool.self)
    plain.add(String?.self)
    plain.add(Int.self)
    #expect(plain.codec(of: (Bool, String?, Int).self) != nil)
    var general = TupleLayout()
    general.add(Bool.self)
    general.add(Int8.self)
    #expect(general.codec(of: (Bool, Int8).self) == nil)
  }
}
