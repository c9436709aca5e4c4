import Foundation
import Strata

struct ToDo: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var list = ""
  var isDone = false
  var views = 0

  static let schema = Schema<ToDo>("todos", key: \.id) {
    Attribute(\.title)
    Attribute(\.list)
    Attribute(\.isDone)
    Attribute(\.views)
  }
}
