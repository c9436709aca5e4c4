import Foundation
import Strata

extension Place {
  /// Runs `body` with a store of its own beside the site's store.
  ///
  /// The observer of the site's files sees the calls for this store, too.
  static func withStore(
    _ site: CancelSite, _ body: (Stack) async throws -> Void
  ) async throws {
    let store = site.store.appendingPathExtension("places")
    let stack = try await Stack.open(Place.self, Tag.self, Photo.self, at: store)
    try await stack.closing {
      if try await stack.count(Place.all) == 0 { try await fill(stack) }
      try await body(stack)
    }
  }
}
