internal import Foundation

/// A text in the form in which full-text indexes compare it, with the way back to the text.
package struct FoldedText {
  package enum Form: Sendable {
    /// Without regard to case.
    case caseless
    /// Without regard to case and diacritics.
    case plain
  }

  /// The folded text as UTF-8.
  package private(set) var bytes: [UInt8] = []
  /// The first byte of each folded scalar, and the number of bytes.
  private(set) var starts: [Int] = []
  /// The bytes of the text from which each folded scalar comes.
  private(set) var sources: [Range<Int32>] = []

  /// Folds a text; invalid UTF-8 becomes U+FFFD, and a NUL becomes a space.
  package init(_ text: UnsafeBufferPointer<UInt8>, _ folding: inout ScalarFolding) {
    bytes.reserveCapacity(text.count)
    starts.reserveCapacity(text.count + 1)
    sources.reserveCapacity(text.count)
    var parser = Unicode.UTF8.ForwardParser()
    var input = text.makeIterator()
    var position: Int32 = 0
    parsing: while true {
      let scalar: Unicode.Scalar
      let start = position
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        scalar = Unicode.UTF8.decode(encoded)
        position += Int32(truncatingIfNeeded: encoded.count)
      case .error(let length):
        scalar = "\u{FFFD}"
        position += Int32(truncatingIfNeeded: length)
      case .emptyInput: break parsing
      }
      let source = start..<position
      if scalar.isASCII {
        append(ScalarFolding.ascii(UInt8(ascii: scalar)), source)
      } else {
        for folded in folding.form(of: scalar) { append(folded, source) }
      }
    }
    starts.append(bytes.count)
  }

  private mutating func append(_ byte: UInt8, _ source: Range<Int32>) {
    starts.append(bytes.count)
    sources.append(source)
    bytes.append(byte)
  }

  private mutating func append(_ scalar: Unicode.Scalar, _ source: Range<Int32>) {
    starts.append(bytes.count)
    sources.append(source)
    UTF8.encode(scalar) { bytes.append($0) }
  }

  package init(_ text: String, _ folding: inout ScalarFolding) {
    var text = text
    self = text.withUTF8 { FoldedText($0, &folding) }
  }

  /// The number of folded scalars.
  package var count: Int { sources.count }

  /// Returns the bytes of the text in which another folded text occurs, ascending and apart.
  package func occurrences(of parts: [FoldedText]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for start in sources.indices {
      for part in parts where part.count > 0 && start + part.count <= count {
        let end = start + part.count
        guard bytes[starts[start]..<starts[end]].elementsEqual(part.bytes) else { continue }
        let range = Int(sources[start].lowerBound)..<Int(sources[end - 1].upperBound)
        if let last = found.last, last.upperBound >= range.lowerBound {
          found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          found.append(range)
        }
      }
    }
    return found
  }
}

/// The folded forms of scalars, which are kept because Unicode's data takes long to read.
package struct ScalarFolding {
  private let form: FoldedText.Form
  private var known: [Unicode.Scalar: [Unicode.Scalar]] = [:]

  package init(_ form: FoldedText.Form) { self.form = form }

  mutating func form(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    if let known = known[scalar] { return known }
    let folded = form == .plain ? Self.plain(scalar) : Self.caseless(scalar)
    known[scalar] = folded
    return folded
  }

  /// Returns the folded form of an ASCII character; a NUL is a space.
  static func ascii(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0: 0x20
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }

  private static func caseless(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    Array(CaseFolding.fold(String(scalar)).unicodeScalars)
  }

  /// Diacritics go first: "İ" becomes "I" and then "i".
  private static func plain(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    withoutDiacritics(scalar).flatMap { caseless($0).flatMap(withoutDiacritics) }
  }

  /// Returns the scalar's canonical decomposition without diacritics, or the scalar itself if it
  /// has none.
  ///
  /// So the syllables of Hangul stay composed.
  private static func withoutDiacritics(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    if scalar.value < 0xC0 { return [scalar] }
    let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
    let letters = parts.filter { !isDiacritic($0) }
    return letters.count == parts.count ? [scalar] : Array(letters)
  }

  /// Whether a scalar is a mark that readers take for an addition to a letter.
  ///
  /// Combining classes tell: 1 are overlays, 8 the voice marks of kana, 10 to 36 the points of
  /// Hebrew, Arabic and Syriac, 200 and more the accents of all scripts. Vowel signs of Indic
  /// scripts, of Thai and of Tibetan are letters, and so are tones of Thai and Lao, nuktas and
  /// viramas.
  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.properties.generalCategory == .nonspacingMark else { return false }
    return switch scalar.properties.canonicalCombiningClass.rawValue {
    case 1, 8, 10...36, 200...254: true
    default: false
    }
  }
}
