import StrataMap
import StrataTestTurns
import Testing

@testable import QuickStart
@testable import Strata

private func key(_ id: Int) -> RecordKey { RecordKey(.integer(Int64(id))) }

@MainActor @Suite(.inTurn) struct TerminalMapTests {
  private func map(_ output: TerminalOutput, _ annotations: SurfaceAnnotation...) -> TerminalMap {
    let map = TerminalMap(output: output)
    for annotation in annotations { map.apply(.add(annotation)) }
    return map
  }

  private func cells(_ text: String) -> [[Character]] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
  }

  private func city(
    _ number: Int, _ latitude: Double, _ longitude: Double, style: String = "",
    priority: Double = 0
  ) -> SurfaceAnnotation {
    SurfaceAnnotation(
      id: key(number), coordinate: Coordinate(latitude: latitude, longitude: longitude),
      title: "city \(number)", style: style, priority: priority)
  }

  // MARK: The picture

  @Test func `a map has lines of equal width and keeps the shape of the Earth`() {
    let lines = cells(map(.monochrome).render(width: 100))
    #expect(lines.count == 20)
    #expect(lines.allSatisfy { $0.count == 100 })
    #expect(cells(map(.monochrome).render(width: 60, height: 7)).count == 7)
    #expect(cells(map(.monochrome).render(width: 1)).count == 1)
  }

  /// With 100 x 20 cells, a cell is 3.6 degrees wide and 7.05 degrees high. The first cell begins
  /// at 180 W and 84 N.
  @Test(arguments: [
    (0.0, 0.0, 50, 11), (48.85, 2.35, 50, 4), (-33.9, 151.2, 92, 16), (84, -180, 0, 0),
    (37.8, -122, 16, 6), (-56.9, 179.9, 99, 19),
  ])
  func `a pin lands in the cell of its coordinate`(
    latitude: Double, longitude: Double, column: Int, row: Int
  ) {
    let lines = cells(map(.monochrome, city(1, latitude, longitude)).render(width: 100))
    #expect(lines[row][column] == "●")
    #expect(lines.joined().count { $0 == "●" } == 1)
  }

  @Test(arguments: [(90.0, 180.0, 99, 0), (-90, -180, 0, 19), (-77.8, 166.7, 96, 19)])
  func `a pin beyond the map is drawn at its edge`(
    latitude: Double, longitude: Double, column: Int, row: Int
  ) {
    let lines = cells(map(.monochrome, city(1, latitude, longitude)).render(width: 100))
    #expect(lines[row][column] == "●")
  }

  private static let places = [
    ("Sahara", 23.0, 12.0, true), ("Amazon", -6, -60, true), ("Siberia", 64, 100, true),
    ("Kansas", 38, -98, true), ("Australia", -25, 135, true), ("Greenland", 74, -40, true),
    ("Atlantic", 30, -45, false), ("Pacific", 0, -150, false), ("Indian Ocean", -30, 80, false),
    ("Caspian Sea", 40, 51, false),
  ]

  @Test func `land is where it should be`() throws {
    // With colours, land is filled. With 360 columns, a cell is one degree wide.
    let text = map(.color).render(width: 360)
    let plain = cells(
      text.replacing("\u{1B}[38;5;242m", with: "").replacing("\u{1B}[0m", with: ""))
    for (name, latitude, longitude, isLand) in Self.places {
      let row = Int((84 - latitude) / 141 * Double(plain.count))
      let cell = try #require(plain[row][Int(longitude + 180)].unicodeScalars.first)
      #expect((cell.value == 0x28FF) == isLand, "\(name)")
      #expect((cell == " ") == !isLand, "\(name)")
    }
  }

  @Test(arguments: [("Hawaii", 19.6, -155.5), ("Fiji", -17.8, 178), ("Cyprus", 35, 33.2)])
  func `an island smaller than a dot is drawn`(
    name: String, latitude: Double, longitude: Double
  ) {
    let lines = cells(map(.monochrome).render(width: 50))
    let row = Int((84 - latitude) / 141 * Double(lines.count))
    #expect(lines[row][Int((longitude + 180) / 7.2)] != " ", "\(name)")
  }

  @Test func `land is an outline on a terminal without colours`() {
    let text = map(.monochrome).render(width: 100)
    #expect(!text.contains("⣿") && !text.contains("\u{1B}"))
    #expect(map(.color).render(width: 100).contains("⣿⣿⣿⣿"))
  }

  @Test func `a pin has the colour of its style`() {
    let text = map(.color, city(1, 30, -45, style: "orange"), city(2, 0, -150))
      .render(width: 100)
    #expect(text.contains("\u{1B}[1;38;5;208m●"))
    #expect(text.contains("\u{1B}[1;38;5;196m●"), "red when there is no style")
  }

  @Test func `the pin with the greatest priority is drawn where several pins share a cell`() {
    let text = map(
      .color, city(1, 30, -45, style: "green", priority: 1),
      city(2, 30, -45, style: "blue", priority: 9), city(3, 30, -45, style: "red", priority: 2)
    ).render(width: 100)
    #expect(text.contains("\u{1B}[1;38;5;33m●") && text.count { $0 == "●" } == 1)
  }

  @Test func `a mark is drawn over pins, in white`() {
    let place = Coordinate(latitude: 30, longitude: -45)
    let marks = MapMark.Kind.allCases.map { MapMark(kind: $0, coordinate: place) }
    let map = map(.color, city(1, 30, -45, style: "red"))
    for (mark, character) in zip(marks, ["◆", "◎", "✕"]) {
      let text = map.render(width: 100, marks: [mark])
      #expect(text.contains("\u{1B}[1;38;5;255m\(character)") && !text.contains("●"))
    }
    #expect((marks + marks).legend(.unicode) == "◆ 2 moved  ◎ 2 restyled  ✕ 2 removed")
    #expect(Array(marks.suffix(1)).legend(.ascii) == "x 1 removed")
  }

  @Test func `land is punctuation and a pin is a letter on a map in ASCII`() {
    let map = TerminalMap(output: .monochrome, characters: .ascii)
    map.apply(.add(city(1, 0, 0)))
    let lines = cells(map.render(width: 100))
    #expect(lines[11][50] == "O")
    #expect(Set(lines.joined()).isSubset(of: " .:#O"))
    let filled = TerminalMap(output: .color, characters: .ascii).render(width: 100)
    #expect(filled.contains("########"))
  }

  // MARK: The surface

  @Test func `operations change the map`() {
    let map = map(.monochrome, city(1, 0, 0))
    map.apply(.move(key(1), to: Coordinate(latitude: 30, longitude: -45)))
    #expect(cells(map.render(width: 100))[7][37] == "●")
    map.apply(.restyle(city(1, 30, -45, style: "blue")))
    #expect(map.annotations[key(1)]?.style == "blue")
    map.apply(.remove(key(1)))
    #expect(map.annotations.isEmpty && !map.render(width: 100).contains("●"))
  }

  // MARK: Text

  @Test func `the map is a list, most important first, where there is no terminal`() {
    let map = map(
      .text, city(1, 61.225, -149.9, style: "red", priority: 1), city(2, -9.3, 158.2, priority: 5))
    #expect(
      map.render(width: 100) == """
        2 annotations  1  1 red
         9.30 S 158.20 E  city 2
        61.23 N 149.90 W  red  city 1
        """)
  }

  @Test func `a list that is too long says how much is missing`() {
    let map = map(.text, city(1, 0, 0), city(2, 0, 0), city(3, 0, 0))
    #expect(cells(map.render(width: 100, height: 3)).count == 3)
    #expect(map.render(width: 100, height: 3).hasSuffix("… and 2 more"))
    #expect(map.render(width: 13, height: 1) == "3 annotations")
    #expect(!map.render(width: 100, height: 4).contains("more"))
  }

  @Test func `text from outside cannot steer the terminal`() {
    var annotation = city(1, 0, 0, style: "\u{9B}31m")
    annotation.title = "a\u{1B}[2Jb\nc\u{2028}d"
    let text = map(.text, annotation).render(width: 100)
    #expect(text.contains("a [2Jb c d"))
    #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" })
  }

  @Test func `the legend counts the styles`() {
    let map = map(.monochrome, city(1, 0, 0, style: "red"), city(2, 0, 0, style: "red"))
    #expect(map.legend == "2 annotations  2 red")
    let colored = self.map(.color, city(1, 0, 0))
    #expect(colored.legend == "1 annotation  \u{1B}[1;38;5;196m●\u{1B}[0m 1")
  }
}
