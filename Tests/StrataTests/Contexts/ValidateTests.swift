import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Booking.self, Room.self, Voyage.self)) @MainActor struct ValidateTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a form asks before it saves`() async throws {
    try await stack.withScratch { $0.insert(Booking(id: 1)) }
    let live = try await view.loaded(Booking.all)
    #expect(view.validate() == [])
    view.update(live.elements[0]) { $0.name = "" }
    view.insert(Booking(id: 2, ends: 0))
    #expect(
      view.validate().map(\.description) == [
        "Booking.name of 1: its length must be between 1 and 20",
        "Booking of 2: must end after it begins",
      ])
    view.update(live.elements[0]) { $0.name = "Ada" }
    view.delete(Booking(id: 2))
    #expect(view.validate() == [])
    try await view.save()
  }

  @Test func `a value in hand is checked as a new entity`() {
    #expect(view.validate(Booking(id: 5)) == [])
    let failures = view.validate(Booking(id: 5, code: "?", guests: 13))
    #expect(failures.map(\.attribute) == ["code", "guests", nil])
    #expect(view.validate(Voyage(id: 1, distance: .nan)).map(\.attribute) == ["distance"])
    #expect(!view.hasChanges)
  }

  @Test func `values that cannot be stored are among the failures`() {
    view.insert(Voyage(id: 1, distance: .nan))
    view.insert(Room(id: 1, name: nil))
    #expect(view.validate().map(\.attribute) == ["name", "distance"])
  }

  @Test func `a failed save loses no edit, and what is put right is saved`() async throws {
    let live = try await view.loaded(Booking.all)
    view.insert(Booking(id: 1))
    view.insert(Booking(id: 2, guests: 0))
    let error = await failure { try await view.save() }
    #expect(error?.code == .validationFailed && error?.failures == view.validate())
    #expect(view.hasChanges && live.elements.count == 2)
    #expect(try await stack.rows("SELECT count(*) FROM bookings") == ["0"])
    view.update(live.elements[1]) { $0.guests = 1 }
    try await view.save()
    #expect(try await stack.rows("SELECT id, guests FROM bookings") == ["1 2", "2 1"])
  }

  @Test func `a sheet's edits are checked when the view context saves them`() async throws {
    let sheet = view.makeScratch()
    sheet.insert(Booking(id: 1, guests: 0))
    #expect(sheet.validate().map(\.attribute) == ["guests"])
    try await sheet.save()
    #expect(view.validate().map(\.attribute) == ["guests"])
    #expect(await failure { try await view.save() }?.code == .validationFailed)
  }

  @Test func `blind edits are checked in what they set`() async throws {
    let scratch = stack.makeScratch()
    scratch.upsert(Booking(id: 1, ends: 0))
    let table = stack.store.model.table(of: Booking.self)
    var batch = RecordBatch()
    let record = try table.encode(Booking(id: 2, name: "", guests: 0), RecordBuilder())
    batch.add(record, to: table, attributes: AttributeSet([0, 1]))
    scratch.compose(batch.layer)
    #expect(
      scratch.validate().map(\.description) == [
        "Booking of 1: must end after it begins",
        "Booking.name of 2: its length must be between 1 and 20",
      ])
  }
}
