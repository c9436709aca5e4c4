import StrataMap
import StrataTestTurns
import Testing

@testable import QuickStart
@testable import Strata

@MainActor @Suite(.inTurn) struct JournalTests {
  private func pin(_ id: Int, _ latitude: Double = 0) -> SurfaceAnnotation {
    SurfaceAnnotation(
      id: RecordKey(.integer(Int64(id))),
      coordinate: Coordinate(latitude: latitude, longitude: 0), title: "pin \(id)",
      subtitle: "M \(id)")
  }

  private func journal() -> Journal { Journal(TerminalMap(output: .monochrome)) }

  @Test func `a page has its operations by key, whatever order they came in`() {
    let journal = journal()
    for id in [3, 1, 2] { journal.apply(.add(pin(id))) }
    #expect(journal.takePage().lines == ["add      pin 1", "add      pin 2", "add      pin 3"])
    let there = Coordinate(latitude: 5, longitude: 7)
    journal.apply(.restyle(pin(3)))
    journal.apply(.remove(pin(2).id))
    journal.apply(.move(pin(1).id, to: there))
    #expect(
      journal.takePage().lines
        == ["move     pin 1 to 5.0° 7.0°", "remove   pin 2", "restyle  pin 3: M 3"])
  }

  @Test func `operations of a key keep their order`() {
    let journal = journal()
    journal.apply(.add(pin(2)))
    journal.apply(.remove(pin(2).id))
    journal.apply(.add(pin(1)))
    journal.apply(.add(pin(2)))
    #expect(
      journal.takePage().lines
        == ["add      pin 1", "add      pin 2", "remove   pin 2", "add      pin 2"])
  }

  @Test func `a page has a mark where each operation took place, and the next page is empty`() {
    let journal = journal()
    for id in 1...3 { journal.apply(.add(pin(id, Double(id)))) }
    #expect(journal.takePage().marks.isEmpty, "an insertion shows by itself")
    let there = Coordinate(latitude: 50, longitude: 0)
    journal.apply(.move(pin(1).id, to: there))
    journal.apply(.restyle(pin(2, 2)))
    journal.apply(.remove(pin(3).id))
    #expect(
      journal.takePage().marks == [
        MapMark(kind: .moved, coordinate: there),
        MapMark(kind: .restyled, coordinate: pin(2, 2).coordinate),
        MapMark(kind: .removed, coordinate: pin(3, 3).coordinate),
      ])
    #expect(journal.takePage().lines.isEmpty)
  }
}
