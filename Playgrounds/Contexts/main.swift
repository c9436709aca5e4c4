// The visibility of edits in each context, and the conflicts between contexts.
//
//   swift run Contexts
//
// The program prints the lines above each `chapter.show`, and then the result.

import Chapter
import Foundation
import Strata

let chapter = Chapter()
let stack = try await Stack.temporary(Album.self, Song.self)
let view = stack.viewContext

chapter.section("An edit shows at once, and is in the store when `save` returns")
let album = Album(title: "Kind of Blue")
view.insert(album)
for title in ["So What", "Freddie Freeloader", "Blue in Green"] {
  view.insert(Song(title: title, albumID: album.id))
}
chapter.show("\(try await view.count(Song.all)) in the view, \(try await saved()) in the store")
try await view.save()
chapter.show("\(try await view.count(Song.all)) in the view, \(try await saved()) in the store")

// A scratch context is a unit of work of one worker, task or actor. It is not `Sendable`, so the
// compiler refuses to share it between two of them.
chapter.section("A worker's edits are its own until it saves them, as one commit")
let played = Song.where { $0.plays > 0 }
try await stack.withScratch { scratch in
  for song in try await scratch.fetch(Song.all) {
    scratch.update(song) { $0.plays += 1 }
  }
  let counts = (
    try await scratch.count(played), try await stack.count(played)
  )
  chapter.show("played: \(counts.0) for the worker, \(counts.1) in the store")
}

// The worker's save has returned, and the view shows it.
chapter.show("saved: \(try await view.count(played)) in the view")

// A child of the view context is an editing sheet. "Cancel" drops its edits. "Done" saves them one
// layer down.
chapter.section("A sheet edits a layer of its own")
let soWhat = try await view.fetch(Song.where { $0.title == "So What" })[0]
let cancelled = view.makeScratch()
cancelled.update(soWhat) { $0.title = "So Whaat" }
cancelled.rollback()
chapter.show("cancelled: the view has \(try await current(soWhat).title)")
let sheet = view.makeScratch()
sheet.update(soWhat) { $0.rating = 5 }
chapter.show("open: the view has the rating \(try await current(soWhat).rating)")
try await sheet.save()
chapter.show("done: the view has \(try await current(soWhat).rating), unsaved: \(view.hasChanges)")
try await view.save()
chapter.show("saved, unsaved: \(view.hasChanges)")

// Conflicts go by attribute. The user's title and a worker's count do not conflict.
chapter.section("Two edit one song")
view.update(try await current(soWhat)) { $0.title = "So What (Take 1)" }
try await stack.withScratch { scratch in
  scratch.update(try await scratch.find(Song.self, soWhat.id) ?? soWhat) {
    $0.plays += 10
  }
}
try await view.save()
let merged = try await current(soWhat)
chapter.show("different attributes: \(merged.title), \(merged.plays) plays")
view.update(merged) { $0.title = "So What (Mono)" }
try await stack.withScratch { scratch in
  scratch.update(merged) { $0.title = "So What (Stereo)" }
}
do {
  try await view.save()
} catch let error as StoreError where error.code == .conflict {
  let sides = error.conflicts.first?.sides(of: Song.self)
  chapter.show(
    "the same one, a \(error.code): mine is \(sides?.mine?.title ?? "-"), "
      + "theirs \(sides?.theirs?.title ?? "-")")
}

for conflict in view.conflicts { view.resolve(conflict, .overwrite) }
try await view.save()
chapter.show("resolved: \(try await current(soWhat).title)")

chapter.section("Undo takes back an edit, and leaves alone what others did meanwhile")
view.undoGroup("Rename") { _ = view.update(merged) { $0.title = "?" } }
try await stack.withScratch { scratch in
  scratch.update(try await scratch.find(Song.self, soWhat.id) ?? soWhat) {
    $0.plays += 100
  }
}
view.undo()
let undone = try await current(soWhat)
chapter.show("\(undone.title), \(undone.plays) plays")

// Delete rules run in the writer. Before the save a context shows exactly its edits.
chapter.section("An album is deleted, and its songs with it")
view.delete(album)
chapter.show("before the save there are \(try await view.count(Song.all)) songs")
try await view.save()
chapter.show("after it there are \(try await view.count(Song.all))")
view.undo()
try await view.save()
chapter.show("after an undo, saved, there are \(try await view.count(Song.all)) again")

let titles = try await view.fetch(Song.sorted(by: \.title)).map(\.title)
chapter.end(titles.joined(separator: ", "))
await stack.close()

/// Returns the number of songs in the store, whatever a context shows.
func saved() async throws -> Int { try await stack.count(Song.all) }

/// Returns the song as the view context shows it. The value in hand stays as it is.
@MainActor func current(_ song: Song) async throws -> Song {
  try await view.find(Song.self, song.id) ?? song
}
