// The whole life of a Strata stack, top to bottom: a feed becomes rows, rows become pins.
//
//   swift run QuickStart                   a week of real earthquakes
//   swift run QuickStart FILE.geojson      any collection of points
//
// The map fits the window. A pipe gets a list in its place. COLUMNS, NO_COLOR, TERM=dumb and a locale
// without UTF-8 have their usual effects.

import Chapter
import Foundation
import Strata
import StrataImport
import StrataMap

let bundled = Bundle.module.url(
  forResource: "earthquakes", withExtension: "geojson", subdirectory: "Data")
let argument = CommandLine.arguments.dropFirst().first.map(URL.init(fileURLWithPath:))
guard let feed = argument ?? bundled else { fatalError("the bundled feed is missing") }

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quickstart-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appendingPathComponent("quakes.sqlite")

// A stack is a store file and the contexts over it. A live query stays up to date by itself, and a
// registry keeps a map equal to it.
var stack = try await Stack.open(Quake.self, at: file)
var quakes = stack.viewContext.live(Quake.sorted(by: \.magnitude, order: .reverse))
let screen = Screen()
var journal = Journal(screen.map)
var registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: journal)

screen.title("1. A worker imports \(feed.lastPathComponent), off the main actor")
let worker = Worker(stack)
let monitor = ImportMonitor()
var watch = Stopwatch()
let first = try await worker.refresh(from: .file(feed), monitor: monitor)
let read = Int((monitor.progress.fraction ?? 0) * 100)
screen.line("\(read) % read, \(first.inserted.grouped) saved in \(watch.time)")
watch = Stopwatch()
try await stack.viewContext.waitUntilMerged(first.commit)
await registry.drain()
let listed = quakes.elements.count.grouped
screen.line(
  "\(listed) in the list, \(registry.shownCount.grouped) on the map \(watch.time) later")
screen.draw(journal.map)
_ = journal.takePage()

screen.title("2. A later edition of the feed arrives while the user drags the map")
registry.close(.userInteraction)
let edition = try EditedFeed(Array(quakes.elements))
watch = Stopwatch()
let second = try await worker.refresh(from: .data(edition.json))
try await stack.viewContext.waitUntilMerged(second.commit)
let time = watch.time
await registry.drain()
screen.line(
  "\(second.updated) updated, \(second.deleted) deleted, \(second.unchanged.grouped) left alone "
    + "in \(time)")
screen.line("the list shows it; the map holds \(registry.pendingOperationCount) operations back")

screen.title("3. The user lets go: exactly the needed operations are applied")
registry.open(.userInteraction)
await registry.drain()
let page = journal.takePage()
for line in page.lines { screen.line(line) }
screen.draw(journal.map, marks: page.marks)

screen.title("4. An edit on the view context shows at once, and is saved")
if let strongest = quakes.elements.first {
  stack.viewContext.update(strongest) { $0.note = "felt it on the third floor" }
  screen.line("unsaved: \(quakes.elements[0].note)")
  watch = Stopwatch()
  try await stack.viewContext.save()
  screen.line("saved in \(watch.time)")
}
registry.detach()
await stack.close()

screen.title("5. The store is opened again")
watch = Stopwatch()
stack = try await Stack.open(Quake.self, at: file)
quakes = stack.viewContext.live(Quake.sorted(by: \.magnitude, order: .reverse))
journal = Journal(screen.map)
registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: journal)
try await quakes.waitUntilLoaded()
screen.line("\(quakes.elements.count.grouped) in the list after \(watch.time)")
screen.line("saved: \(quakes.elements.first?.note ?? "")")

screen.title("6. The first edition comes again, and the note is still the user's")
watch = Stopwatch()
let third = try await Worker(stack).refresh(from: .file(feed))
try await stack.viewContext.waitUntilMerged(third.commit)
screen.line("\(third.inserted) came back, \(third.updated) updated in \(watch.time)")
await registry.drain()
screen.line("note: \(quakes.elements.first { !$0.note.isEmpty }?.note ?? "")")

screen.end("\(registry.shownCount.grouped) annotations on the map")
registry.detach()
await stack.close()
