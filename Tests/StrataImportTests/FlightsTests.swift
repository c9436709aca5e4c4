import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataImport

@Suite(.inTurn) struct FlightsTests {
  @Test func `the deadline of who begins is nobody else's`() async throws {
    let flights = Flights()
    let deadline = Lock<ContinuousClock.Instant??>(nil)
    let result = try await withStoreDeadline(in: .seconds(1_000)) {
      try await flights.join("feed", nil) { _ in
        deadline.withLock { $0 = .some(StoreDeadline.current) }
        return .success(.notModified)
      }
    }
    #expect(result == .notModified)
    #expect(deadline.withLock { $0 } == .some(nil))
  }

  @Test func `a caller whose time is over leaves a shared request, and the others do not`()
    async throws
  {
    let (flights, gate) = (Flights(), TestGate())
    let work: Flights.Work = { _ in
      await gate.pass()
      return .success(.notModified)
    }
    let first = Task { try await flights.join("feed", nil, work) }
    await gate.waitForArrivals()
    let error = await #expect(throws: ImportError.self) {
      try await withStoreDeadline(in: .zero) { try await flights.join("feed", nil, work) }
    }
    #expect(error?.storeError?.code == .deadlineExceeded)
    await gate.open()
    #expect(try await first.value == .notModified)
  }

  @Test func `a caller that is cancelled before it joins begins no work`() async {
    let (flights, hasBegun) = (Flights(), Lock(false))
    let joining = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await flights.join("feed", nil) { _ in
        hasBegun.withLock { $0 = true }
        return .success(.notModified)
      }
    }
    let error = await #expect(throws: ImportError.self) { try await joining.value }
    #expect(error?.code == .cancelled)
    #expect(!hasBegun.withLock { $0 })
    #expect(flights.passengers(of: "feed") == 0)
  }

  // `join` must make the task of a flight outside of its lock. Making the task takes a lock of the
  // caller's task. A cancellation of the caller holds that lock while it waits for the lock of
  // `join`, so both would wait for ever.
  @Test func `a caller that is cancelled while it joins a request holds up no other caller`() async
  {
    await #expect(processExitsWith: .success) {
      // Ends a process that hangs.
      alarm(600)
      let flights = Flights()
      for round in 0..<5_000 {
        let hasBegun = Lock(false)
        let joining = Task {
          hasBegun.withLock { $0 = true }
          return try? await flights.join("feed", nil) { _ in .success(.notModified) }
        }
        while !hasBegun.withLock(\.self) { await Task.yield() }
        for _ in 0..<round % 100 { _ = hasBegun.withLock(\.self) }
        joining.cancel()
        _ = await joining.value
      }
    }
  }
}
