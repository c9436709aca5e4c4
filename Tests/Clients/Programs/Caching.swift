import Foundation
import Strata
import StrataImport

@MainActor func goToBackground(_ stack: Stack) async throws {
  if stack.view.hasChanges { try await stack.view.save() }
  await stack.suspend()
}

@MainActor func comeBack(_ stack: Stack) async {
  do {
    try await stack.resume()
  } catch  where error.code == .replaced || error.code == .schemaChanged {
    await stack.close()
  } catch {
    print("still suspended: \(stack.isSuspended), \(error)")
  }
}
