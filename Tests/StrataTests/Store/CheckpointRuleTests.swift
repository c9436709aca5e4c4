import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct CheckpointRuleTests {
  @Test func `a short log is left alone`() {
    var rule = CheckpointRule(limit: 160)
    for frames in [0, 1, 79] { #expect(rule.didCommit(frames: frames) == .nothing) }
    #expect(!rule.isDue)
  }

  @Test func `a log that is written back makes an attempt due`() {
    var rule = CheckpointRule(limit: 160)
    #expect(rule.didCommit(frames: 80) == .writeBack)
    #expect(!rule.isDue)
    #expect(rule.didCommit(frames: 159) == .nothing)
    #expect(rule.didCommit(frames: 160) == .hold)
    rule.didWriteBack()
    #expect(rule.isDue)
    #expect(rule.didCommit(frames: 81) == .nothing)
    #expect(rule.isDue)
    rule.endAttempt()
    #expect(!rule.isDue)
  }

  @Test func `an attempt that nobody ended is asked for again`() {
    // Patience may run out before the view context rests. Under commits without a pause the context
    // never rests again, and without another attempt the log would grow without end.
    var rule = CheckpointRule(limit: 160)
    _ = rule.didCommit(frames: 160)
    rule.didWriteBack()
    #expect(rule.didCommit(frames: 169) == .nothing)
    #expect(rule.didCommit(frames: 170) == .writeBack)
    // The writer's own checkpoint would overlap with the checkpoint that runs.
    #expect(!rule.isDue)
    rule.didWriteBack()
    #expect(rule.isDue)
    #expect(rule.didCommit(frames: 180) == .writeBack)
  }

  @Test func `a sixteenth of the limit must be written after an attempt in vain`() {
    var rule = CheckpointRule(limit: 160)
    _ = rule.didCommit(frames: 85)
    rule.didWriteBack()
    rule.endAttempt()
    #expect(rule.didCommit(frames: 94) == .nothing)
    #expect(rule.didCommit(frames: 95) == .writeBack)
  }

  @Test func `the limit of a log that was started again counts from the start`() {
    var rule = CheckpointRule(limit: 160)
    _ = rule.didCommit(frames: 500)
    rule.didWriteBack()
    rule.endAttempt()
    #expect(rule.didCommit(frames: 3) == .nothing)
    #expect(rule.didCommit(frames: 79) == .nothing)
    #expect(rule.didCommit(frames: 80) == .writeBack)
  }

  @Test func `a limit of one frame asks at every commit`() {
    var rule = CheckpointRule(limit: 1)
    for frames in 1...5 {
      #expect(rule.didCommit(frames: frames) == .writeBack)
      rule.didWriteBack()
      rule.endAttempt()
    }
  }
}
