import Foundation
import Strata

/// The second version: `name` becomes `title`, whole seconds become a duration, and ratings are
/// new.
enum Version2 {
  struct Song: Entity {
    var id = UUID.timeOrdered()
    var title = ""
    var artist = ""
    var duration = 0.0
    var rating = 3

    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).formerly("name").indexed()
      Attribute(\.artist)
      Attribute(\.duration).formerly("seconds").converted(from: Int.self) { Double($0) }
      Attribute(\.rating)
    }
  }
}
