// Opening in a loop over places, with a condition.
import Strata

import Foundation

struct Song: Entity {
  var id = 0
  static let schema = Schema<Song>("songs", key: \.id) {}
}

func open(_ urls: [URL]) async throws -> Stack? {
  for url in urls {
    do { return try await Stack.open(Song.self, at: url) } catch let error as StoreError
      where error.code == .newerStore
    {
      continue
    }
  }
  return nil
}
