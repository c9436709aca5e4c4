import Foundation

// Numbers and texts as a page shows them.

extension BinaryInteger {
  /// The number with commas.
  var text: String { Int(self).formatted(.number.locale(Locale(identifier: "en"))) }
}

extension Double? {
  /// The number with one digit.
  var text: String { map { String(format: "%.1f", $0) } ?? "none" }
}

func counted(_ number: some BinaryInteger, _ name: String) -> String {
  "\(number.text) \(name)\(number == 1 ? "" : "s")"
}

func quoted(_ note: String?) -> String {
  guard let note, !note.isEmpty else { return "no note" }
  return "“\(note)”"
}
