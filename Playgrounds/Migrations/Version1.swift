import Foundation
import Strata

enum Version1 {
  struct Song: Entity {
    var id = UUID.timeOrdered()
    var name = ""
    var artist = ""
    var seconds = 0

    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.name)
      Attribute(\.artist)
      Attribute(\.seconds)
    }
  }
}

/// A version 2 that does not declare the new name of `name`.
enum Careless {
  struct Song: Entity {
    var id = UUID.timeOrdered()
    var title = ""
    var artist = ""
    var seconds = 0

    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.artist)
      Attribute(\.seconds)
    }
  }
}
