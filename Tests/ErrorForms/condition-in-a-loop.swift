// A condition without the error's type, in a loop over a collection.
import Strata

@MainActor func save(_ views: [ViewContext]) async throws {
  for view in views {
    do { try await view.save() } catch  where StoreError.Code.conflict ~= error { view.rollback() }
  }
}
