// An import in a loop over sources, with a condition.
import Strata
import StrataImport

struct Song: Entity {
  var id = 0
  static let schema = Schema<Song>("songs", key: \.id) {}
}

func load(_ stack: Stack, _ sources: [JSONSource]) async throws {
  for source in sources {
    do {
      try await stack.importJSON(Song.self, from: source)
    } catch let error as ImportError where error.code == .syntax {
      print(error.message)
    }
  }
}
