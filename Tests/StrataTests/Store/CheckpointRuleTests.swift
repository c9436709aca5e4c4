import Testing

@testable import Strata

@Suite struct CheckpointRuleTests {
  @Test func `a short log is left alone`() {
    var rule = CheckpointRule(limit: 160)
    for frames in [0, 1, 80, 159] { #expect(rule.didCommit(frames: frames) == false) }
    #expect(!rule.isDue)
  }

  @Test func `the first commit past the limit makes an attempt due`() {
    var rule = CheckpointRule(limit: 160)
    #expect(rule.didCommit(frames: 160) == true)
    #expect(rule.isDue)
    #expect(rule.didCommit(frames: 161) == false)
    #expect(rule.isDue)
    rule.endAttempt()
    #expect(!rule.isDue)
  }

  @Test func `an attempt that nobody ended is asked for again`() {
    // Patience may run out before the view context rests; under commits without a pause it would
    // never rest again, and the log would grow without end.
    var rule = CheckpointRule(limit: 160)
    _ = rule.didCommit(frames: 160)
    #expect(rule.didCommit(frames: 169) == false)
    #expect(rule.didCommit(frames: 170) == true)
    #expect(rule.didCommit(frames: 180) == true)
  }

  @Test func `after an attempt in vain a sixteenth of the limit must be written first`() {
    var rule = CheckpointRule(limit: 160)
    _ = rule.didCommit(frames: 165)
    rule.endAttempt()
    #expect(rule.didCommit(frames: 174) == false)
    #expect(rule.didCommit(frames: 175) == true)
  }

  @Test func `after the log was started again the limit counts from the start`() {
    var rule = CheckpointRule(limit: 160)
    _ = rule.didCommit(frames: 500)
    rule.endAttempt()
    #expect(rule.didCommit(frames: 3) == false)
    #expect(rule.didCommit(frames: 159) == false)
    #expect(rule.didCommit(frames: 160) == true)
  }

  @Test func `a limit of one frame asks at every commit`() {
    var rule = CheckpointRule(limit: 1)
    for frames in 1...5 {
      #expect(rule.didCommit(frames: frames) == true)
      rule.endAttempt()
    }
  }
}
