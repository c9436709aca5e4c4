import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The encoding and decoding of history entries, without a store.
@Suite(.inTurn) struct HistoryCodingTests {
  private struct Anything: Entity {
    var id: Int64 = 0
    var a: Int64 = 0
    var b: Int64?
    var c: Int64?
    static let schema = Schema<Anything>("anything", key: \.id) {
      Attribute(\.a)
      Attribute(\.b)
      Attribute(\.c)
    }
  }

  private let model: Model
  private let layout: HistoryLayout

  init() throws {
    model = try Model([Anything.self, Harbour.self])
    layout = HistoryLayout(model)
  }

  private var table: TableID { model.table(of: Anything.self).id }

  private func parts(_ changes: [TableID: TableChanges]) throws -> [[UInt8]] {
    var encoder = HistoryEncoder(layout)
    var parts: [[UInt8]] = []
    try encoder.encode(changes) { bytes, _ in parts.append(Array(bytes)) }
    return parts
  }

  /// Returns the decoded changes, or nil for bytes that cannot be read.
  private func decoded(_ parts: [[UInt8]], _ layout: HistoryLayout? = nil) -> ChangeSet? {
    var decoder = HistoryDecoder(layout ?? self.layout, RecordBuilder())
    for part in parts {
      do { try part.withUnsafeBytes { try decoder.decode($0) } } catch { return nil }
    }
    return ChangeSet(commit: 1, model: model, tables: decoder.tables)
  }

  /// Returns changes of some keys, with every kind of cell.
  private func rows(_ count: Int, _ random: inout SeededRandom) throws -> TableChanges {
    var rows = ContiguousArray<RowChange>()
    for key in 0..<Int64(count) {
      func record() throws -> Record { try Record([.integer(key)] + random.cells(3)) }
      let before = random.oneIn(3) ? nil : try record()
      let after = random.oneIn(3) && before != nil ? nil : try record()
      if before == after { continue }
      rows.append(
        RowChange(
          key: RecordKey(.integer(key)), change: Change(before: before, after: after)))
    }
    return .rows(rows)
  }

  @Test func `changes come back as they were`() throws {
    var random = SeededRandom.printingSeed()
    for count in 1..<200 {
      let changes = try rows(count, &random)
      if changes.isEmpty { continue }
      let back = try #require(decoded(try parts([table: changes])))
      #expect(back.byKey == ChangeSet(commit: 1, model: model, tables: [table: changes]).byKey)
      #expect(back.isInNormalForm)
    }
  }

  @Test func `a large commit comes in parts of bounded size`() throws {
    let text = String(repeating: "x", count: 1_000)
    let rows = try (0..<2_000).map { number in
      let record = try Record([.integer(Int64(number)), .text(text), .null, .real(0.5)])
      return RowChange(key: record.key(0), change: Change(before: nil, after: record))
    }
    let changes: [TableID: TableChanges] = [
      table: .rows(ContiguousArray(rows)), model.table(of: Harbour.self).id: .reset,
    ]
    let parts = try parts(changes)
    #expect(parts.count > 5 && parts.allSatisfy { $0.count < HistoryEncoder.partLimit + 2_000 })
    let back = try #require(decoded(parts))
    #expect(back.byKey == ChangeSet(commit: 1, model: model, tables: changes).byKey)
    #expect(back.changes(of: Harbour.self).isReset)
  }

  @Test func `an update is written with what changed, not twice`() throws {
    let title = String(repeating: "x", count: 500)
    let before = try Record([.integer(1), .text(title), .integer(1), .null])
    let after = try Record([.integer(1), .text(title), .integer(2), .null])
    let change = RowChange(key: before.key(0), change: Change(before: before, after: after))
    #expect(try parts([table: .rows([change])])[0].count < 560)
  }

  @Test func `damaged bytes are refused or mean something, and never trap`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<200 {
      let whole = try parts([table: try rows(10, &random), TableID(index: 1): .reset])[0]
      for _ in 0..<50 {
        var bytes = whole
        switch random.below(3) {
        case 0: bytes.removeLast(1 + random.below(bytes.count - 1))
        case 1: bytes[random.below(bytes.count)] = UInt8(random.below(256))
        default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
        }
        guard let set = decoded([bytes]) else { continue }
        for changes in set.tables.values {
          guard case .rows(let rows) = changes else { continue }
          #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key })
          #expect(!rows.contains { $0.change.isIdentity })
        }
      }
    }
  }

  @Test func `a table with other columns is not read`() throws {
    struct Renamed: Entity {
      var id: Int64 = 0
      var a: Int64 = 0
      var b: Int64?
      var d: Int64?
      static let schema = Schema<Renamed>("anything", key: \.id) {
        Attribute(\.a)
        Attribute(\.b)
        Attribute(\.d)
      }
    }
    struct Reordered: Entity {
      var id: Int64 = 0
      var a: Int64 = 0
      var b: Int64?
      var c: Int64?
      static let schema = Schema<Reordered>("anything", key: \.id) {
        Attribute(\.a)
        Attribute(\.c)
        Attribute(\.b)
      }
    }
    var random = SeededRandom.printingSeed()
    let parts = try parts([table: try rows(10, &random)])
    #expect(decoded(parts) != nil)
    #expect(decoded(parts, HistoryLayout(try Model([Renamed.self]))) == nil)
    #expect(decoded(parts, HistoryLayout(try Model([Reordered.self]))) == nil)
    #expect(decoded(parts, HistoryLayout(try Model([Harbour.self]))) == nil)
  }
}
