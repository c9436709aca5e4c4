// Calls of two libraries in one do, and a catch for each.
import Strata

func parse() throws -> Int { 1 }

@MainActor func both(_ view: ViewContext) async throws {
  for _ in 0..<3 {
    do {
      _ = try parse()
      try await view.save()
    } catch let error as StoreError where error.code == .conflict {
      print(error)
    } catch is CancellationError {
      return
    }
  }
}
