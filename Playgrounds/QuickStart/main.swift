// The whole life of a Strata stack, top to bottom: a feed becomes rows, rows become pins.
//
//   swift run QuickStart                   a week of real earthquakes
//   swift run QuickStart FILE.geojson      any collection of points

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
var journal = Journal()
var registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: journal)

print("1. A worker imports \(feed.lastPathComponent), off the main actor")
let worker = Worker(stack)
let monitor = ImportMonitor()
let first = try await worker.refresh(from: .file(feed), monitor: monitor)
let read = Int((monitor.progress.fraction ?? 0) * 100)
print("   \(read) % read, \(first.inserted) saved")
try await stack.viewContext.waitUntilMerged(first.commit)
await registry.drain()
print("   \(quakes.elements.count) in the list, \(registry.shownCount) on the map\n")
print(journal.map.render(width: 100, height: 20))
_ = journal.takeLines()

print("\n2. A later edition of the feed arrives while the user drags the map")
registry.close(.userInteraction)
let edition = try EditedFeed(Array(quakes.elements))
let second = try await worker.refresh(from: .data(edition.json))
try await stack.viewContext.waitUntilMerged(second.commit)
await registry.drain()
print("   \(second.updated) updated, \(second.deleted) deleted, \(second.unchanged) left alone")
print(
  "   the list shows it at once; the map holds \(registry.pendingOperationCount) operations back")

print("\n3. The user lets go: exactly the needed operations are applied")
registry.open(.userInteraction)
await registry.drain()
for line in journal.takeLines() { print("   \(line)") }

print("\n4. An edit on the view context shows at once, and is saved")
if let strongest = quakes.elements.first {
  stack.viewContext.update(strongest) { $0.note = "felt it on the third floor" }
  print("   unsaved: \(quakes.elements[0].note)")
  try await stack.viewContext.save()
}
registry.detach()
await stack.close()

print("\n5. The store is opened again")
stack = try await Stack.open(Quake.self, at: file)
quakes = stack.viewContext.live(Quake.sorted(by: \.magnitude, order: .reverse))
journal = Journal()
registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: journal)
try await quakes.waitUntilLoaded()
print("   saved: \(quakes.elements.first?.note ?? "")")

print("\n6. The first edition comes again: what it has is back, the note is still the user's")
let third = try await Worker(stack).refresh(from: .file(feed))
try await stack.viewContext.waitUntilMerged(third.commit)
await registry.drain()
print("   \(third.inserted) came back, \(third.updated) updated")
print("   note: \(quakes.elements.first { !$0.note.isEmpty }?.note ?? "")\n")

print("\(registry.shownCount) annotations on the map")
registry.detach()
await stack.close()
