import Chapter
import Strata
import StrataMap

/// A world map made of characters, with the land in Braille and the annotations as pins.
///
///     let map = TerminalMap(output: .color)
///     let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: map)
///     await registry.drain()
///     print(map.render(width: 100))
///
/// If a pin's style names a colour (red, orange, yellow, green, cyan, blue, magenta, white or
/// gray), the pin has that colour. A pin without a style is red. Any other style has a colour that
/// is the same in every run. If several pins share a character, the pin with the greatest priority
/// is drawn. A mark is drawn over all pins, in white.
@MainActor final class TerminalMap: AnnotationSurface {
  private typealias Symbol = (character: Character, color: TerminalColor)

  /// The kind of output that the map is drawn for.
  let output: TerminalOutput
  /// The characters that the map is made of.
  let characters: MapCharacters
  /// The shown annotations by id.
  private(set) var annotations: [RecordKey: SurfaceAnnotation] = [:]
  private var land: (projection: WorldProjection, canvas: BrailleCanvas)?

  /// Creates an empty map.
  init(output: TerminalOutput, characters: MapCharacters = .unicode) {
    self.output = output
    self.characters = characters
  }

  /// Shows one operation.
  func apply(_ operation: AnnotationOperation) {
    switch operation {
    case .add(let annotation), .restyle(let annotation):
      annotations[annotation.id] = annotation
    case .move(let id, to: let coordinate):
      annotations[id]?.coordinate = coordinate
    case .remove(let id):
      annotations[id] = nil
    }
  }

  /// Returns the map as lines of equal width joined by newlines.
  ///
  /// If the output is not a terminal, the result is a summary in text. The map covers the latitudes
  /// from 84° N to 57° S. Pins beyond are drawn at its edge.
  ///
  /// - Parameters:
  ///   - width: The number of characters a line, at least 1.
  ///   - height: The number of lines, at least 1. With nil, a map has as many lines as leave it
  ///     undistorted, about a fifth of the width, and a summary has all annotations.
  ///   - marks: Marks over the pins; a summary does not have them.
  /// - Complexity: O(n log n + width x height), n being the number of annotations and marks; the
  ///   land is kept for the next call of the same size.
  func render(width: Int, height: Int? = nil, marks: [MapMark] = []) -> String {
    precondition(width > 0 && (height ?? 1) > 0, "a map needs room")
    if output == .text { return summary(width: width, lines: height).joined(separator: "\n") }
    let projection = WorldProjection(columns: width, rows: height)
    let canvas = land(projection)
    let symbols = symbols(projection, marks)
    return (0..<projection.height / 4).map { row in
      line(
        (0..<width).map { column in
          symbols[row * width + column]
            ?? (characters.land(canvas, column: column, row: row), .gray)
        })
    }.joined(separator: "\n")
  }

  /// Returns the pins and marks by the number of their cell.
  private func symbols(_ projection: WorldProjection, _ marks: [MapMark]) -> [Int: Symbol] {
    var symbols: [Int: Symbol] = [:]
    func put(_ symbol: Symbol, at coordinate: Coordinate) {
      let cell = projection.cell(of: coordinate)
      symbols[cell.row * projection.width / 2 + cell.column] = symbol
    }
    // In this order, the last pin of a cell, which is drawn, is the most important.
    for pin in ranked.reversed() {
      put((characters.pin, TerminalColor(style: pin.style)), at: pin.coordinate)
    }
    for mark in marks where mark.coordinate.isValid {
      put((mark.kind.character(characters), .white), at: mark.coordinate)
    }
    return symbols
  }

  /// A line with the number of annotations of each style, in the colours of the pins.
  var legend: String {
    var counts: [String: Int] = [:]
    for annotation in annotations.values { counts[annotation.style, default: 0] += 1 }
    let styles = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let parts = styles.map { style, count in
      let pin =
        output == .color ? TerminalColor(style: style).paint(String(characters.pin)) + " " : ""
      return "\(pin)\(count.grouped)" + (style.isEmpty ? "" : " \(style.printable)")
    }
    let noun = annotations.count == 1 ? "annotation" : "annotations"
    return (["\(annotations.count.grouped) \(noun)"] + parts).joined(separator: "  ")
  }

  /// The annotations with a valid coordinate, by priority and then by key; the most important
  /// first.
  var ranked: [SurfaceAnnotation] {
    annotations.values.filter(\.coordinate.isValid).sorted {
      $0.priority == $1.priority ? $0.id < $1.id : $0.priority > $1.priority
    }
  }

  private func land(_ projection: WorldProjection) -> BrailleCanvas {
    if let land, land.projection == projection { return land.canvas }
    let filled = LandOutline.world.filled(projection)
    // On filled land, only the colour of a pin makes it visible.
    let canvas = output == .color ? filled : filled.outline
    land = (projection, canvas)
    return canvas
  }

  private func line(_ cells: [Symbol]) -> String {
    guard output == .color else { return String(cells.map(\.character)) }
    var result = "", run = "", color = TerminalColor.gray
    for cell in cells {
      // A space looks the same in every colour.
      if cell.character != " ", cell.color != color {
        if !run.isEmpty { result += color.paint(run) }
        (run, color) = ("", cell.color)
      }
      run.append(cell.character)
    }
    return result + color.paint(run)
  }
}
