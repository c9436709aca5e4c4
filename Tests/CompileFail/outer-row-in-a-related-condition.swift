// expect: cannot convert value of type
// The rows that meet a related condition are found once for all outer rows. The condition cannot
// read the outer row.
import Strata

struct Folder: Entity {
  var id = 0
  var size = 0
  var parentID: Folder.ID?
  static let parent = toOne(\.parentID, Folder.self)
  static let children = toMany(\Folder.parentID)
  static let schema = Schema<Folder>("folders", key: \.id) {
    Attribute(\.size)
    parent
    children
  }
}

let larger = Folder.where { folder in folder.children.any { $0.size > folder.size } }
