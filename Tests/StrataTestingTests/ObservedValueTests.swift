import Observation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn, .stack(Song.self, Artist.self)) @MainActor
struct ObservedValueTests {
  let stack = Stack.test

  @MainActor @Observable final class Screen {
    private let songs: LiveQuery<Song>
    init(_ stack: Stack) { songs = stack.viewContext.live(Song.sorted(by: \.title)) }
    var titles: [String] { songs.elements.map(\.title) }
  }

  @Test func `an expectation waits for a value that an app's model computes`() async throws {
    let screen = Screen(stack)
    try await stack.withScratch { scratch in
      scratch.insert(Song(id: 1, title: "So What"))
      scratch.insert(Song(id: 2, title: "Blue in Green"))
    }
    await expect(screen.titles, becomes: ["Blue in Green", "So What"])
    stack.viewContext.insert(Song(id: 3, title: "All Blues"))
    #expect(await expect(screen.titles.first, becomes: "All Blues"))
  }

  @Test func `a save is waited for by its button`() async throws {
    stack.viewContext.insert(Song(id: 1))
    let save = Task { [view = stack.viewContext] in try await view.save() }
    await expect(stack.viewContext.hasChanges, becomes: false)
    await expect(stack.viewContext.isSaving, becomes: false)
    #expect(try await save.value == 1)
  }

  @Test func `an expectation that is never met tells the last value`() async throws {
    let clock = ManualClock()
    let screen = Screen(stack)
    try await withKnownIssue {
      let waiting = Task {
        await expect(screen.titles, becomes: ["Freddie"], within: .seconds(9), clock: clock)
      }
      await clock.waitForSleepers()
      try await stack.withScratch { $0.insert(Song(id: 1, title: "So What")) }
      await expect(screen.titles.count, becomes: 1)
      clock.advance(by: .seconds(9))
      #expect(await !waiting.value)
    } matching: { issue in
      issue.comments.map(\.rawValue) == [
        """
        waited 9.0 seconds for
          ["Freddie"]
        and it was
          []
          ["So What"]
        """
      ]
    }
  }
}
