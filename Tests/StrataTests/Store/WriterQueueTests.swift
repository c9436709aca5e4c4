import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The shell around the queue: tickets, holds and closing.
@Suite(.inTurn) struct WriterQueueTests {
  private let executor = StoreExecutor("strata.test")

  /// The units that ran so far, and the refused units.
  private final class Journal: Sendable {
    let lines = Lock<[String]>([])

    func unit(_ name: String) -> WriterQueue.Unit {
      { [lines] order in
        switch order {
        case .run: lines.withLock { $0.append(name) }
        case .refuse(let error): lines.withLock { $0.append("\(name) \(error.code)") }
        }
      }
    }
  }

  /// Returns when every unit with a ticket has run.
  private func settle() async {
    await withUnsafeContinuation { settled in executor.async { settled.resume() } }
  }

  @Test func `units wait during a hold and run in their order afterwards`() async {
    let queue = WriterQueue(executor)
    let journal = Journal()
    queue.hold(for: .seconds(600))
    _ = queue.add(journal.unit("bulk"), .bulk, context: nil)
    let withdraw = queue.add(journal.unit("withdrawn"), .urgent, context: nil)
    _ = queue.add(journal.unit("urgent"), .urgent, context: nil)
    await settle()
    #expect(journal.lines.withLock { $0 } == [])
    withdraw()
    queue.endHold()
    _ = queue.add(journal.unit("later"), .urgent, context: nil)
    await settle()
    let lines = journal.lines.withLock { $0 }
    #expect(lines.first == "withdrawn cancelled" && lines.count == 4)
    #expect(lines.firstIndex(of: "urgent") ?? 9 < lines.firstIndex(of: "bulk") ?? 0)
  }

  @Test func `a hold ends by itself`() async {
    let queue = WriterQueue(executor)
    queue.hold(for: .milliseconds(1))
    await withUnsafeContinuation { ran in
      _ = queue.add({ _ in ran.resume() }, .normal, context: nil)
    }
  }

  @Test func `the end of an earlier hold does not end a later one`() async {
    let queue = WriterQueue(executor)
    let journal = Journal()
    queue.hold(for: .seconds(600))
    queue.endHold()
    queue.hold(for: .seconds(600))
    queue.endHold(1)
    _ = queue.add(journal.unit("unit"), .urgent, context: nil)
    await settle()
    #expect(journal.lines.withLock { $0 } == [])
    queue.endHold(2)
    await settle()
    #expect(journal.lines.withLock { $0 } == ["unit"])
  }

  @Test func `a closed queue refuses, runs what waits, and is never held`() async {
    let queue = WriterQueue(executor)
    let journal = Journal()
    queue.hold(for: .seconds(600))
    _ = queue.add(journal.unit("first"), .normal, context: nil)
    // A unit's commit may ask for another hold.
    _ = queue.add({ _ in queue.hold(for: .seconds(600)) }, .urgent, context: nil)
    queue.close()
    _ = queue.add(journal.unit("late"), .urgent, context: nil)
    await settle()
    #expect(journal.lines.withLock { $0 }.sorted() == ["first", "late closed"])
  }

  @Test func `a suspended queue runs what waits and keeps what comes`() async {
    let queue = WriterQueue(executor)
    let journal = Journal()
    queue.hold(for: .seconds(600))
    let early = queue.add(journal.unit("withdrawn early"), .bulk, context: nil)
    _ = queue.add(journal.unit("first"), .normal, context: nil)
    _ = queue.add({ _ in queue.hold(for: .seconds(600)) }, .urgent, context: nil)
    early()
    queue.suspend()
    _ = queue.add(journal.unit("late bulk"), .bulk, context: nil)
    let withdraw = queue.add(journal.unit("withdrawn"), .urgent, context: nil)
    _ = queue.add(journal.unit("late urgent"), .urgent, context: nil)
    await settle()
    let before = ["withdrawn early cancelled", "first"]
    #expect(journal.lines.withLock { $0 } == before)
    withdraw()
    queue.resume()
    await settle()
    let after = ["withdrawn cancelled", "late urgent", "late bulk"]
    #expect(journal.lines.withLock { $0 } == before + after)
    // Closing refuses the units that wait for a resumption.
    queue.suspend()
    _ = queue.add(journal.unit("last"), .urgent, context: nil)
    queue.close()
    await settle()
    #expect(journal.lines.withLock { $0 } == before + after + ["last closed"])
  }

  // A unit enters the queue together with its ticket. Otherwise a suspension in between would make
  // the unit run after the file is closed, or never.
  @Test func `a unit runs before its suspension or after it`() async {
    let queue = WriterQueue(executor)
    let (isAway, late, ran) = (Lock(false), Lock(0), Lock(0))
    for _ in 0..<3 {
      Task { @concurrent in
        for _ in 0..<1_000 {
          await withUnsafeContinuation { done in
            _ = queue.add(
              { _ in
                if isAway.withLock(\.self) { late.withLock { $0 += 1 } }
                ran.withLock { $0 += 1 }
                done.resume()
              }, .normal, context: nil)
          }
        }
      }
    }
    for _ in 0..<2_000 where ran.withLock(\.self) < 3_000 {
      queue.suspend()
      await settle()
      isAway.withLock { $0 = true }
      await settle()
      isAway.withLock { $0 = false }
      queue.resume()
    }
    #expect(await eventually { ran.withLock(\.self) == 3_000 })
    #expect(late.withLock(\.self) == 0)
  }
}
