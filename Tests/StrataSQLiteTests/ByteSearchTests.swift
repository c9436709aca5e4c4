internal import StrataSQLite
import StrataTestTurns
import Testing

@Suite(.inTurn) struct ByteSearchTests {
  private func contains(_ bytes: String, _ part: String) -> Bool {
    Array(bytes.utf8).withUnsafeBytes { bytes in
      Array(part.utf8).withUnsafeBytes { ByteSearch.contains(bytes, $0) }
    }
  }

  @Test(arguments: [
    ("So What", "So", true), ("So What", "What", true), ("So What", " ", true),
    ("So What", "what", false), ("So What", "So What!", false), ("", "a", false),
    ("a\0b", "\0b", true), ("a\0b", "b", true), ("naïve", "ï", true), ("e\u{301}", "é", false),
    ("aaab", "aab", true),
  ])
  func `bytes are found wherever they are`(bytes: String, part: String, expected: Bool) {
    #expect(contains(bytes, part) == expected)
  }
}
