import Foundation
import Observation
import Strata
import StrataImport
import StrataMap

@MainActor final class ConsoleMap: AnnotationSurface {
  func gateDidChange(isOpen: Bool) { print(isOpen ? "go on" : "wait") }

  func apply(_ operation: AnnotationOperation) {
    switch operation {
    case .add(let pin): print("add", pin.title)
    case .move(let id, let place): print("move", id, place)
    case .restyle(let pin): print("restyle", pin.id)
    case .remove(let id): print("remove", id)
    }
  }
}

extension Quake {
  static let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
    .title(\.place)
    .subtitle(\.magnitude) { "M \($0)" }
    .style(\.magnitude) { $0 > 6 ? "red" : "orange" }
    .priority(\.magnitude)
    .clusterGroup(\.magnitude) { $0 > 6 ? nil : "small" }
    .clusterValue(\.magnitude, max)
}

@MainActor func showInBrowser(_ quakes: LiveQuery<Quake>, send: ([UInt8]) -> Void) async {
  let surface = GeoJSONSurface()
  let registry = AnnotationRegistry(
    quakes, mapping: Quake.pins, on: surface, clusters: ClusterOptions(radius: 60))
  registry.show(GeoRegion(south: 0, west: 170, north: 40, east: -170), zoom: 4.5)
  await registry.drain()
  if let difference = surface.take() { send(difference.json) }
  if let id = quakes.elements.first?.id {
    registry.select(id)
    withObservationTracking {
      print(registry.selectedIDs, registry.counters.applied, registry.isGateOpen)
    } onChange: {
      print("changed")
    }
    let leaves = await registry.leaves(of: id)
    let displayed = await registry.displayed(for: id)
    print(leaves.compactMap { quakes[id: $0]?.place }, displayed?.cluster?.count ?? 1)
    print(SpiderLayout().offsets(of: leaves).count, await registry.reveal(id) ?? 0)
    registry.deselectAll()
  }
  for pin in registry.annotations.values.prefix(1) {
    registry.select(pin.id)
    let leaves = await registry.leaves(of: pin.id)
    print(leaves.count, pin.cluster?.count ?? 1, SpiderLayout().offsets(of: leaves).count)
  }
  var index = ClusterIndex<Int>(combining: +)
  index.update(
    registry.annotations.values.map {
      ClusterIndex<Int>.Point(id: $0.id, coordinate: $0.coordinate, value: 1)
    })
}

@MainActor @Observable final class QuakeScreen {
  let quakes: LiveQuery<Quake>
  private let surface = ConsoleMap()
  private let registry: AnnotationRegistry<Quake>
  private var task: Task<Void, Never>?

  init(_ stack: Stack) {
    quakes = stack.viewContext.live(
      Quake.where { $0.magnitude > 4.5 }.sorted(by: \.magnitude, order: .reverse))
    registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: surface)
    task = Task { [quakes] in
      for await update in quakes.updates {
        print("-\(update.deletions) +\(update.insertions) of \(update.elements.count)")
      }
    }
  }

  var rows: [String] { quakes.elements.map { "\($0.magnitude) \($0.place)" } }

  func userDragged(_ isDragging: Bool) {
    if isDragging { registry.close(.userInteraction) } else { registry.open(.userInteraction) }
  }

  func close() {
    registry.detach()
    task?.cancel()
  }
}

@MainActor @Observable final class EditSongSheet {
  private let scratch: ScratchContext
  var song: Song

  init(_ song: Song, in view: ViewContext) {
    self.song = song
    scratch = view.makeScratch()
  }

  func rename(_ title: String) { song = scratch.update(song) { $0.title = title } }
  func cancel() { scratch.rollback() }
  func done() async throws { try await scratch.save() }
}

@MainActor func edit(_ stack: Stack) async throws {
  let view = stack.viewContext
  let song = try await view.fetch(Song.all).first ?? Song(title: "First")
  if try await view.find(Song.self, song.id) == nil { view.insert(song) }
  view.update(song) { $0.title = "Changed" }
  view.rollback()
  let sheet = EditSongSheet(song, in: view)
  sheet.rename("New")
  try await sheet.done()
  if view.hasChanges && !view.isSaving { try await view.save(.overwrite) }
  if let error = view.saveError { print(error.code) }
  view.delete(song)
  try await view.save()
}

@MainActor @Observable final class SongScreen {
  let letters: SectionedLiveQuery<Song, String>
  let years: SectionedLiveQuery<Quake, Double>
  let count: LiveValue<Int>
  private let quakes: LiveQuery<Quake>

  init(_ stack: Stack) {
    let view = stack.viewContext
    letters = view.live(Song.sorted(by: \.title), section: { $0.title.prefix(1).uppercased() })
    years = view.live(Quake.all, sectionedBy: \.magnitude, reading: [\.place])
    count = view.live(.count, of: Song.all)
    quakes = view.live(Quake.all, reading: [\.magnitude])
  }

  func follow(_ stack: Stack) async {
    for await update in letters.updates {
      print(update.insertedSections, update.moves.map(\.to.section))
    }
    for await update in quakes.updates(every: .milliseconds(100)) { print(update.edits.count) }
    for await count in count.updates { print(count, quakes.statistics.wakes) }
    for await activity in stack.activity.updates { print(activity.isIdle) }
  }

  func showNothing() { quakes.query = .none }
  func show(large: Bool) { quakes.query = Quake.where { $0.magnitude > (large ? 6 : 4) } }
  func made(with query: Query<Quake>) { years.query = query }
}

@MainActor func observe(_ live: LiveQuery<Quake>, in view: ViewContext) {
  withObservationTracking {
    _ = view.canUndo ? live.elements.count : 0
  } onChange: {
    print("changed")
  }
}

@MainActor func watch(_ stack: Stack) async {
  for await changes in stack.viewContext.changes(of: Song.self) { print(changes.inserted.count) }
}

@MainActor func book(_ room: Room, in view: ViewContext) async throws -> [String] {
  var booking = Booking(guests: 13, roomID: room.id)
  let problems = view.validate(booking).map { "\($0.attribute ?? "booking"): \($0.message)" }
  view.insert(booking)
  do { try await view.save() } catch let error as StoreError where error.code == .validationFailed {
    booking = view.update(booking) { $0.guests = 12 }
    assert(error.failures.count == 1 && view.validate().isEmpty)
  }
  try await view.save()
  let theirs = try await view.fetch(Room.bookings(of: room).sorted(by: \.begins))
  let same = try await view.find(Booking.self, booking.id)
  return problems + theirs.filter { $0 == same }.map(\.id.description)
}
