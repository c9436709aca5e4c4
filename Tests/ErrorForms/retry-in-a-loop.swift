// A loop that tries a save again after a conflict, in a function that throws.
import Strata

@MainActor func retry(_ view: ViewContext) async throws {
  for _ in 0..<3 {
    do {
      try await view.save()
      return
    } catch let error as StoreError where error.code == .conflict {
      print(error.conflicts)
    }
  }
}
