// A variable that a closure captures, beside a condition.
import Strata

@MainActor func count(_ view: ViewContext) async throws {
  var conflicts = 0
  let report = { print(conflicts) }
  do { try await view.save() } catch let error as StoreError where error.code == .conflict {
    conflicts += 1
  }
  report()
}
