// An action of a view, which cannot throw.
import Strata

@MainActor func tap(_ view: ViewContext) {
  Task {
    for _ in 0..<3 {
      do { try await view.save() } catch let error as StoreError where error.code == .conflict {
        view.rollback()
      } catch {
        print(error.localizedDescription)
      }
    }
  }
}
