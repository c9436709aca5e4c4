import Observation
import Strata

/// A view that draws what it observes of a view context, and draws again when that changes.
@MainActor
final class RaceView {
  /// The values that the view draws.
  private struct Drawing: Equatable {
    let books: [Book]
    let hasChanges: Bool
    let isSaving: Bool
    let hasFailed: Bool
    let conflicts: [String]
    let undoName: String?
  }

  private let view: ViewContext
  private let books: LiveQuery<Book>
  private var drawn: Drawing?

  init(_ view: ViewContext, _ books: LiveQuery<Book>) {
    (self.view, self.books) = (view, books)
    draw()
  }

  private var current: Drawing {
    Drawing(
      books: Array(books.elements), hasChanges: view.hasChanges, isSaving: view.isSaving,
      hasFailed: view.saveError != nil,
      conflicts: view.conflicts.map { "\($0)" }, undoName: view.undoName)
  }

  private func draw() {
    drawn = withObservationTracking {
      current
    } onChange: { [weak self] in
      // The change comes after this call.
      Task { @MainActor in self?.draw() }
    }
  }

  /// Waits until the view has drawn what there is.
  func rest() async throws {
    await Pause.until { drawn == current }
    try Contradiction.unless(
      drawn == current,
      "observation leads to \(drawn.map { "\($0)" } ?? "nothing"), not \(current)")
  }
}
