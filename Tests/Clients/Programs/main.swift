import Foundation
import Strata
import StrataImport

var options = Stack.Options()
options.trace = { statement in if statement.duration > .seconds(1) { print(statement) } }
options.history = .keep(for: .seconds(3600), bytes: 1_000_000)
options.author = "app"
options.recordsStatements = true
options.slowCommit = .seconds(1)
options.log = { event in
  switch event {
  case .slowCommit(_, let rows, let duration): print(rows, duration)
  case .logRetained(_, let snapshots): print(snapshots.flatMap(\.holders))
  case let event where event.level >= .warning: print(event.message, event.metadata)
  default: break
  }
}
let stack = try await Stack.temporary(
  Song.self, Artist.self, Playlist.self, Quake.self, Room.self, Booking.self, options: options)
let fast = stack.viewContext.live(Song.where { $0.bpm > 90 }.sorted(by: \.title))
try await fast.waitUntilLoaded()
let json = Data(#"[{"id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","title":"So What"}]"#.utf8)
let imported = try await importAll(stack, json)
try await background(stack).value
try await stack.viewContext.waitUntilMerged(try await stack.makeScratch().save())
let screen = QuakeScreen(stack)
try await edit(stack)
try await queries(stack.viewContext)
try await values(stack.viewContext, stack)
try await editAndUndo(stack.viewContext)
let room = Room(name: "Blue")
stack.viewContext.insert(room)
let booked = try await book(room, in: stack.viewContext)
try await refreshQuakes(stack, Data(#"[{"id": "q", "place": "Here"}]"#.utf8))
let report = try await stack.diagnostics(statements: 3)
print(report.snapshots.contains { $0.isOfView }, report.statements.count)
print(try await dropOldQuakes(stack), "dropped,", stack.setAside == nil, cacheOptions().logLimit)
try await goToBackground(stack)
await comeBack(stack)
try await relationships(stack)
let token = try await pull(stack, [Song(title: "Pulled")])
stack.viewContext.author = "screen"
let last = try await changesToPush(stack, since: token)
print(last == token, token <= stack.historyToken)
screen.close()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
print(try await migrate(at: folder.appendingPathComponent("store.sqlite")))
try FileManager.default.removeItem(at: folder)
print(
  "\(imported) imported, \(fast.elements.count) fast, \(screen.rows.count) quakes, \(booked.count) lines"
)
await stack.close()
