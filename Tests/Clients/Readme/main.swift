import Foundation
import Strata

struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var bpm: Double?

  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.bpm)
  }
}

let stack = try await Stack.temporary(Song.self)  // or Stack.open(Song.self, at: url)
let fast = stack.viewContext.live(Song.where { $0.bpm > 100 }.sorted(by: \.title))

try await stack.withScratch { scratch in  // a context of its own, saved on return
  scratch.insert(Song(title: "So What", bpm: 136))
  scratch.insert(Song(title: "Amazing Grace", bpm: 72))
}
let grace = try await stack.viewContext.fetch(Song.where { $0.title.contains("Grace") })[0]
stack.viewContext.update(grace) { $0.bpm = 144 }  // shows at once in every live query
try await stack.viewContext.save()  // one transaction, off the main actor

print(fast.elements.map(\.title))  // ["Amazing Grace", "So What"]
await stack.close()
