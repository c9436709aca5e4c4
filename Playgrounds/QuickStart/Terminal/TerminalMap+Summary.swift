import Chapter
import Strata
import StrataMap

extension TerminalMap {
  /// Returns the annotations as lines of text, none longer than `width`.
  ///
  /// The first line is a heading. A line for each annotation follows, the most important first. If
  /// not all fit, the last line says how many are left out.
  func summary(width: Int, lines: Int?) -> [String] {
    let ranked = ranked
    let room = max(0, (lines ?? .max) - 1)
    var result = [legend] + ranked.prefix(room).map(Self.describe)
    if ranked.count > room, room > 0 {
      result[room] = "… and \((ranked.count - room + 1).grouped) more"
    }
    return result.map { String($0.prefix(width)) }
  }

  private static func describe(_ annotation: SurfaceAnnotation) -> String {
    let coordinate = annotation.coordinate
    let place = [
      degrees(coordinate.latitude, "N", "S", width: 5),
      degrees(coordinate.longitude, "E", "W", width: 6),
    ].joined(separator: " ")
    let text = [annotation.style, annotation.title, annotation.subtitle].filter { !$0.isEmpty }
    return ([place] + text.map(\.printable)).joined(separator: "  ")
  }

  /// Returns degrees with two decimals and a side in place of a sign, such as ` 9.30 S`.
  private static func degrees(
    _ value: Double, _ positive: String, _ negative: String, width: Int
  ) -> String {
    let hundredths = Int((abs(value) * 100).rounded())
    let decimals = hundredths % 100
    let number = "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)"
    let padding = String(repeating: " ", count: max(0, width - number.count))
    return padding + number + " " + (value < 0 && hundredths > 0 ? negative : positive)
  }
}

extension String {
  /// The text with spaces in place of control characters and line breaks. Text from outside must
  /// not control the terminal.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: " "
          default: scalar
          }
        }))
  }
}
