// Drives the screens of the app QuakeNotes with a real store, a server that answers what this file says,
// and a host that evaluates the screens as SwiftUI does.

import Foundation
import Strata
import StrataImport
import StrataSwiftUI
import SwiftUI

func check(_ condition: Bool, _ what: String) {
  guard condition else {
    print("failed: \(what)")
    exit(1)
  }
}

/// Lets other tasks run until a condition holds, for a minute at most.
func soon(_ what: String, _ condition: () -> Bool) async {
  let end = ContinuousClock.now + .seconds(60)
  while !condition() && ContinuousClock.now < end { await Task.yield() }
  check(condition(), what)
}

/// The server: its earthquakes, as identifiers and places.
actor Server {
  private var quakes: [(id: String, place: String)] = []
  private var status = 200

  func has(_ quakes: [(id: String, place: String)]) { (self.quakes, status) = (quakes, 200) }

  func fails(with status: Int) { self.status = status }

  func answer() -> (status: Int, body: Data) {
    let features = quakes.map {
      """
      {"type":"Feature","id":"\($0.id)","properties":
        {"mag":4.2,"place":"\($0.place)","time":1517966773840,"type":"earthquake"}}
      """
    }
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    return (status, Data(text.utf8))
  }
}

let server = Server()
let transport = HTTPTransport { [server] request in
  let (status, body) = await server.answer()
  let head = HTTPURLResponse(
    url: request.url!, statusCode: status, httpVersion: "HTTP/1.1",
    headerFields: ["Content-Length": "\(body.count)"])!
  let pieces = AsyncStream<Data> {
    $0.yield(body)
    $0.finish()
  }
  return (head, pieces)
}

let stack = try await Stack.temporary(Quake.self, Note.self)
let refresher = Refresher(stack, transport: transport)
func shows(_ host: SwiftUI.Host, _ text: String) -> Bool {
  host.words.contains { $0.contains(text) }
}

// The list is refreshed when it appears.
await server.has([("a", "Hilo, Hawaii"), ("b", "Kodiak, Alaska")])
let screen = SwiftUI.Host()
screen.show(QuakeScreen(refresher: refresher).strataStack(stack))
await soon("the first refresh: \(screen.words)") { shows(screen, "4.2 · Hilo, Hawaii") }
check(shows(screen, "Kodiak"), "every earthquake")

// A search narrows the list.
check(screen.enter("ALASKA", in: "Search"), "a search field")
await soon("a search: \(screen.words)") { !shows(screen, "Hilo") && shows(screen, "Kodiak") }
screen.enter("nowhere", in: "Search")
await soon("nothing found: \(screen.words)") { shows(screen, "No earthquakes") }
screen.enter("", in: "Search")
await soon("no search: \(screen.words)") { shows(screen, "Hilo") }

// Cancel forgets the edits of the sheet. An empty note cannot be saved.
let detail = SwiftUI.Host()
detail.show(QuakeDetail(id: "a").strataStack(stack))
await soon("the earthquake: \(detail.words)") { shows(detail, "Hilo") }
check(detail.tap("Edit"), "a button")
await soon("the sheet") { shows(detail, "[Add a note]") }
detail.tap("Add a note")
await soon("an empty note: \(detail.words)") { shows(detail, "([Done])") }
check(!detail.tap("Done"), "an empty note")
detail.enter("The lamp swung", in: "Note")
await soon("a note: \(detail.words)") { shows(detail, "<The lamp swung>") }
detail.tap("Cancel")
await soon("the end of the sheet") { !shows(detail, "[Done]") }
check(!stack.viewContext.hasChanges && !shows(detail, "The lamp"), "the edits of a closed sheet")

// Done saves them. A swipe deletes a note, and Undo brings it back into the store.
func edit(_ steps: () async -> Void) async {
  detail.tap("Edit")
  await soon("the sheet: \(detail.words)") { shows(detail, "[Done]") }
  await steps()
  await soon("Done: \(detail.words)") { detail.words.contains("[Done]") }
  check(detail.tap("Done"), "Done")
  await soon("the end of the sheet: \(detail.words)") { !shows(detail, "[Done]") }
}
await edit {
  detail.tap("Add a note")
  await soon("a field: \(detail.words)") { detail.words.contains("<Note>") }
  check(detail.enter("The lamp swung", in: "Note"), "a field")
}
await soon("the note: \(detail.words)") { detail.words.contains("The lamp swung") }
await soon("the number of notes: \(screen.words)") { shows(screen, "notes: 1") }
func stored() async throws -> Int { try await stack.count(Note.all) }
check(try await stored() == 1, "the saved note")
await edit {
  check(detail.delete(at: 0), "the row")
  await soon("no row: \(detail.words)") { !shows(detail, "<The lamp") }
}
check(try await stored() == 0, "the deleted note")
check(detail.tap("Undo"), "undo")
await soon("the note again: \(detail.words)") { detail.words.contains("The lamp swung") }
await soon("a saved undo") { !stack.viewContext.hasChanges && !stack.viewContext.isSaving }
check(try await stored() == 1, "the note in the store")
check(detail.tap("Redo") && detail.tap("Undo"), "redo, and undo again")
await soon("both saved: \(detail.words)") {
  detail.words.contains("The lamp swung") && !stack.viewContext.hasChanges
    && !stack.viewContext.isSaving
}

// The next answer lacks both earthquakes. The one with a note stays.
await server.has([("c", "Lima, Peru")])
check(await screen.pull(), "a refresh")
await soon("the next answer: \(screen.words)") { shows(screen, "Lima") && !shows(screen, "Kodiak") }
check(shows(screen, "Hilo") && shows(detail, "The lamp swung"), "an earthquake with a note stays")

// A failed refresh shows an alert.
await server.fails(with: 404)
await screen.pull()
await soon("an alert: \(screen.words)") { shows(screen, "! No new earthquakes") }
print(screen.words.drop { !$0.hasPrefix("!") }.joined(separator: "\n"))
screen.tap("OK")
await soon("no alert: \(screen.words)") { !shows(screen, "!") }
check(shows(screen, "Lima"), "the list under the alert")

await stack.close()
print("The app shows what it should")
