import Foundation
import Strata
import StrataImport

var options = Stack.Options()
options.trace = { statement in if statement.duration > .seconds(1) { print(statement) } }
options.history = .keep(for: .seconds(3600), bytes: 1_000_000)
options.author = "app"
options.notesStatements = true
options.slowCommit = .seconds(1)
options.log = { event in
  switch event {
  case .slowCommit(_, let rows, let duration): print(rows, duration)
  case .logKept(_, let snapshots): print(snapshots.flatMap(\.holders))
  case let event where event.level >= .warning: print(event.message, event.metadata)
  default: break
  }
}
let stack = try await Stack.temporary(
  Song.self, Artist.self, Playlist.self, Quake.self, Room.self, Booking.self, options: options)
let fast = stack.view.live(Song.where { $0.bpm > 90 }.sorted(by: \.title))
try await fast.load()
let json = Data(#"[{"id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","title":"So What"}]"#.utf8)
let imported = try await importAll(stack, json)
try await background(stack).value
try await stack.view.merged(try await stack.scratch().save())
let screen = QuakeScreen(stack)
try await edit(stack)
try await queries(stack.view)
try await values(stack.view, stack)
try await editAndUndo(stack.view)
let room = Room(name: "Blue")
stack.view.insert(room)
let booked = try await book(room, in: stack.view)
try await refreshQuakes(stack, Data(#"[{"id": "q", "place": "Here"}]"#.utf8))
let report = try await stack.diagnostics(statements: 3)
print(report.snapshots.contains { $0.isOfView }, report.statements.count)
print(try await dropOldQuakes(stack), "dropped,", stack.setAside == nil, cacheOptions().logLimit)
try await goToBackground(stack)
await comeBack(stack)
try await relationships(stack)
let token = try await pull(stack, [Song(title: "Pulled")])
stack.view.author = "screen"
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
