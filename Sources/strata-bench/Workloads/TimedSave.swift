import Strata

extension Stack {
  /// Saves a new value of a song off the main actor, and returns when the save began.
  func savingDetached(_ song: Song, bpm: Double) -> Task<ContinuousClock.Instant, any Error> {
    Task.detached { [self] in
      let scratch = makeScratch()
      scratch.update(song) { $0.bpm = bpm }
      let start = ContinuousClock.now
      try await scratch.save()
      return start
    }
  }
}
