// The visibility of edits in each context, and the conflicts between contexts.
//
//   swift run Contexts

import Foundation
import Strata

let stack = try await Stack.temporary(Album.self, Song.self)
let view = stack.viewContext

print("1. An edit shows at once, and is in the store when `save` returns")
let album = Album(title: "Kind of Blue")
view.insert(album)
for title in ["So What", "Freddie Freeloader", "Blue in Green"] {
  view.insert(Song(title: title, albumID: album.id))
}
print("   before: \(try await view.count(Song.all)) in the view, \(try await saved()) saved")
try await view.save()
print("   after: \(try await view.count(Song.all)) in the view, \(try await saved()) saved")

// A scratch context is a unit of work of one worker, task or actor. It is not `Sendable`, so the
// compiler refuses to share it between two of them.
print("\n2. A worker's edits are its own until it saves them, as one commit")
try await stack.withScratch { scratch in
  for song in try await scratch.fetch(Song.all) { scratch.update(song) { $0.plays += 1 } }
  let played = try await scratch.count(Song.where { $0.plays > 0 })
  print("   the worker has \(played) played, the store \(try await savedPlayed())")
}
print("   the view has \(try await view.count(Song.where { $0.plays > 0 }))")

// A child of the view context is an editing sheet. "Cancel" drops its edits. "Done" saves them one
// layer down.
print("\n3. A sheet edits a layer of its own")
let soWhat = try await view.fetch(Song.where { $0.title == "So What" })[0]
let cancelled = view.makeScratch()
cancelled.update(soWhat) { $0.title = "So Whaat" }
cancelled.rollback()
let sheet = view.makeScratch()
sheet.update(soWhat) { $0.rating = 5 }
print("   open: the view has the rating \(try await current(soWhat).rating)")
try await sheet.save()
print("   done: the view has \(try await current(soWhat).rating), unsaved: \(view.hasChanges)")
try await view.save()

// Conflicts go by attribute. The user's title and a worker's count do not conflict.
print("\n4. Two edit one song")
view.update(try await current(soWhat)) { $0.title = "So What (Take 1)" }
try await stack.withScratch { scratch in
  scratch.update(try await scratch.find(Song.self, soWhat.id) ?? soWhat) { $0.plays += 10 }
}
try await view.save()
let merged = try await current(soWhat)
print("   different attributes: \(merged.title), \(merged.plays) plays")

view.update(merged) { $0.title = "So What (Mono)" }
try await stack.withScratch { scratch in
  scratch.update(merged) { $0.title = "So What (Stereo)" }
}
do {
  try await view.save()
} catch let error as StoreError where error.code == .conflict {
  for conflict in error.conflicts {
    guard let sides = conflict.sides(of: Song.self) else { continue }
    print(
      "   the same one: mine is \(sides.mine?.title ?? "-"), theirs \(sides.theirs?.title ?? "-")")
    view.resolve(conflict, .overwrite)
  }
  try await view.save()
}
print("   resolved: \(try await current(soWhat).title)")

print("\n5. Undo takes back an edit, and leaves alone what others did meanwhile")
view.undoGroup("Rename") { _ = view.update(merged) { $0.title = "?" } }
try await stack.withScratch { scratch in
  scratch.update(try await scratch.find(Song.self, soWhat.id) ?? soWhat) { $0.plays += 100 }
}
view.undo()
let undone = try await current(soWhat)
print("   \(undone.title), \(undone.plays) plays")

// Delete rules run in the writer. Before the save a context shows exactly its edits.
print("\n6. An album is deleted, and its songs with it")
view.delete(album)
print("   before the save there are \(try await view.count(Song.all)) songs")
try await view.save()
print("   after it there are \(try await view.count(Song.all))")
view.undo()
try await view.save()
print("   and after an undo, saved:\n")

let titles = try await view.fetch(Song.sorted(by: \.title)).map(\.title)
print(titles.joined(separator: ", "))
await stack.close()

/// Returns the number of songs in the store, whatever a context shows.
func saved() async throws -> Int { try await stack.count(Song.all) }
func savedPlayed() async throws -> Int { try await stack.count(Song.where { $0.plays > 0 }) }

/// Returns the song as the view context shows it. The value in hand stays as it is.
@MainActor func current(_ song: Song) async throws -> Song {
  try await view.find(Song.self, song.id) ?? song
}
