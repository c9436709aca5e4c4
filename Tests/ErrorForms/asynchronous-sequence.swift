// A history that has expired, read in a loop.
import Strata

func read(_ stack: Stack, _ token: HistoryToken) async throws {
  for _ in 0..<2 {
    do {
      for try await entry in stack.history(since: token) { print(entry) }
    } catch let error as StoreError where error.code == .historyExpired {
      print(error)
    }
  }
}
