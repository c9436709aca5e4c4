import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// One row, a server, and a network between them that loses requests and answers.
@Suite(.inTurn) struct OutboxEntryTests {
  private struct Row {
    var local: Record?
    var server: Record?
    var entry: OutboxEntry?
    var commit: Int64 = 0

    mutating func edit(to next: Record?) {
      commit += 1
      let change = Change(before: local, after: next)
      local = next
      if var known = entry {
        entry =
          known.edit(change, commit: commit, .none)
          ? known : nil
      } else {
        entry = OutboxEntry(change, commit: commit, .none)
      }
    }

    /// - Parameters:
    ///   - meanwhile: the row after an edit that is made while the request is under way.
    mutating func push(arrives: Bool, isAnswered: Bool, meanwhile: Record??) {
      guard var handed = entry else { return }
      let (kind, attributes, sent) = (handed.kind, handed.editedAttributes, local)
      commit += 1
      let number = commit
      handed.handOver(at: number)
      entry = handed
      if let meanwhile { edit(to: meanwhile) }
      if !arrives { return }
      switch (kind, sent) {
      case (.delete, _): server = nil
      case (.insert, _): server = sent
      case (.update, let sent?):
        #expect(server != nil, "an update of a row that the server does not have")
        server = server.flatMap {
          BlindChange.patching(attributes, onInsert: sent).applied(to: $0)
        }
      case (.update, nil): Issue.record("an update of a row that is not there")
      }
      guard isAnswered, var left = entry else { return }
      entry = left.acknowledge(at: number) ? left : nil
    }
  }

  @Test func `the server ends up with the row after any edits, losses and acknowledgements`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<8_000 {
      let start = random.row()
      var row = Row(local: start, server: start)
      for _ in 0..<10 {
        if random.oneIn(2) {
          row.edit(to: random.row(otherThan: row.local))
        } else {
          let next = random.row(otherThan: row.local)
          row.push(
            arrives: !random.oneIn(3), isAnswered: !random.oneIn(3),
            meanwhile: random.oneIn(2) ? .some(next) : .none)
        }
      }
      for _ in 0..<2 { row.push(arrives: true, isAnswered: true, meanwhile: nil) }
      #expect(row.entry == nil)
      if row.server != row.local {
        Issue.record("\(String(describing: row.server)) is not \(String(describing: row.local))")
        return
      }
    }
  }

  @Test func `an old acknowledgement says nothing`() {
    var entry = OutboxEntry(
      Change(before: nil, after: Record.small), commit: 1, .none)
    entry.handOver(at: 2)
    entry.handOver(at: 3)
    let before = entry
    let isLeft = entry.acknowledge(at: 2)
    #expect(isLeft && entry == before)
    let isStillLeft = entry.acknowledge(at: 3)
    #expect(!isStillLeft)
  }

  /// A second process may hand the row over again while the first request is under way.
  @Test(arguments: [nil, .later, .refused("no")] as [PushVerdict?])
  func `the end of an old request says nothing of the new one`(_ verdict: PushVerdict?) {
    var entry = OutboxEntry(Change(before: nil, after: Record.small), commit: 1, .none)
    entry.handOver(at: 2)
    entry.handOver(at: 3)
    let before = entry
    let isLeft = entry.note(verdict, handedOverAt: 2, local: nil, .none)
    #expect(isLeft && entry == before)
  }
}

extension Record {
  fileprivate static var small: Record { SmallRecords.rows.compactMap { $0 }[0] }
}

extension RowCoding {
  fileprivate static var none: RowCoding {
    RowCoding { _ in
      []
    } decode: { _ in
      nil
    }
  }
}

extension OutboxEntry {
  /// Notes that the server has done a request, whose answer has no row.
  fileprivate mutating func acknowledge(at commit: Int64) -> Bool {
    note(.done, handedOverAt: commit, local: nil, .none)
  }
}
