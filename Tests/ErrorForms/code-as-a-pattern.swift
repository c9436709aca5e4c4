// Codes as patterns, one of them with a condition.
import Strata

@MainActor func retry(_ view: ViewContext) async throws -> Int {
  var tries = 0
  while true {
    do {
      try await view.save()
      return tries
    } catch StoreError.Code.conflict where tries < 3 {
      tries += 1
    } catch StoreError.Code.diskFull, StoreError.Code.busy {
      tries += 10
    }
  }
}
