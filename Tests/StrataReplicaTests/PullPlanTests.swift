import Foundation
import StrataTestTurns
import Testing

@testable import StrataReplica

/// The guards of a pull: each is about one change of a server after which a pull would be wrong.
@Suite(.inTurn) struct PullPlanTests {
  private let epoch = UUID()

  private func head(_ change: (inout ServerHead) throws -> Void = { _ in }) throws -> ServerHead {
    var head = ServerHead(
      format: 1, epoch: epoch, server: "7/5/1", horizon: try ServerSnapshot("90:90:"),
      snapshot: try ServerSnapshot("100:120:105,110"), written: try LogPosition("0/100"),
      shapes: ["songs": "a", "artists": "b"])
    try change(&head)
    return head
  }

  private func cursor() throws -> LogCursor { try #require(LogCursor(try head())) }

  @Test func `a pull without a cursor reads all rows`() throws {
    #expect(PullPlan(try head(), since: nil) == .resync(.first))
  }

  @Test func `the log has the keys if the server went on`() throws {
    let later = try head { $0.snapshot = try ServerSnapshot("110:130:110") }
    #expect(PullPlan(later, since: try cursor()) == .difference(whole: []))
  }

  @Test func `another version of the server's objects is refused`() throws {
    #expect(PullPlan(try head { $0.format = 2 }, since: nil) == .refuse(.format))
  }

  // The snapshot of a standby leaves out the transactions that run on the primary.
  @Test func `a standby is refused, also for a first copy`() throws {
    #expect(PullPlan(try head { $0.server = nil }, since: nil) == .refuse(.standby))
  }

  @Test func `a restored backup, another cluster and a promoted standby mean all rows`() throws {
    #expect(PullPlan(try head { $0.epoch = UUID() }, since: try cursor()) == .resync(.epoch))
    #expect(PullPlan(try head { $0.server = "7/5/2" }, since: try cursor()) == .resync(.server))
  }

  @Test(arguments: ["90:119:", "100:120:105,110,111", "100:130:105,110,119"])
  func `a server that sees less than before means all rows`(_ snapshot: String) throws {
    let earlier = try head { $0.snapshot = try ServerSnapshot(snapshot) }
    #expect(PullPlan(earlier, since: try cursor()) == .resync(.order))
  }

  @Test(arguments: ["100:121:105,110", "100:120:105", "100:120:"])
  func `a log that was pruned past the cursor means all rows`(_ horizon: String) throws {
    let pruned = try head {
      $0.snapshot = try ServerSnapshot("130:130:")
      $0.horizon = try ServerSnapshot(horizon)
    }
    #expect(PullPlan(pruned, since: try cursor()) == .resync(.horizon))
  }

  @Test func `a table whose fingerprint changed is read whole`() throws {
    let changed = try head { $0.shapes["songs"] = "c" }
    #expect(PullPlan(changed, since: try cursor()) == .difference(whole: ["songs"]))
  }

  @Test func `a cursor survives its stored form`() throws {
    #expect(LogCursor(try cursor().stored) == (try cursor()))
  }

  @Test func `the cursor of another kind of server is none`() throws {
    for name in ["epoch", "server", "shapes", "snapshot"] {
      var parts = try cursor().stored.parts
      parts[name] = nil
      #expect(LogCursor(ReplicaCursor(parts)) == nil)
      parts[name] = .text("sealed")
      #expect((LogCursor(ReplicaCursor(parts)) == nil) == (name != "server"))
    }
  }
}

@Suite(.inTurn) struct ServerSnapshotTests {
  @Test func `a snapshot sees what had ended before it`() throws {
    let snapshot = try ServerSnapshot("100:120:105,110")
    let seen = [99, 104, 105, 106, 110, 119, 120].map { snapshot.sees($0) }
    #expect(seen == [true, true, false, true, false, true, false])
    #expect(try ServerSnapshot("5:5:").sees(4))
  }

  /// The order of snapshots is that of the sets of transactions that they see.
  @Test func `a snapshot is contained in another one if it sees no more`() throws {
    var all: [ServerSnapshot] = []
    for end in 3...7 as ClosedRange<UInt64> {
      for running in 0..<(1 << (end - 3)) {
        let list = (3..<end).filter { running & (1 << ($0 - 3)) != 0 }
        all.append(try ServerSnapshot("3:\(end):\(list.map(String.init).joined(separator: ","))"))
      }
    }
    for a in all {
      for b in all {
        let contains = (0..<10 as Range<UInt64>).allSatisfy { !a.sees($0) || b.sees($0) }
        // A later end alone makes a snapshot that sees nothing new later.
        #expect(a.isContained(in: b) == (contains && a.end <= b.end), "\(a.text) in \(b.text)")
      }
    }
  }

  @Test(arguments: ["", "1:2", "a:2:", "1:b:", "1:2:3:4"])
  func `a text that is no snapshot is an error`(_ text: String) {
    #expect(throws: ReplicaError.self) { try ServerSnapshot(text) }
  }

  @Test func `log positions are compared as numbers`() throws {
    #expect(try LogPosition("0/FF") < LogPosition("0/100"))
    #expect(try LogPosition("0/FFFFFFFF") < LogPosition("1/0"))
    #expect(throws: ReplicaError.self) { try LogPosition("1") }
    #expect(throws: ReplicaError.self) { try LogPosition("100000000/0") }
  }
}
