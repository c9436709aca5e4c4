// Units of work side by side, each of which meets conflicts.
import Strata

func work(_ stack: Stack) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<8 {
      group.addTask {
        for _ in 0..<3 {
          do {
            try await stack.withScratch { _ in }
          } catch let error as StoreError where error.code == .conflict {
            continue
          }
        }
      }
    }
    for try await _ in group {}
  }
}
