internal import CStrataSQLite

/// Case folding of text by the rules of Unicode, independent of any language.
package enum CaseFolding {
  /// Returns the form that is common to all texts that differ only in case.
  ///
  /// It is the full default folding of Unicode (`CaseFolding.txt`, C and F): each code point is
  /// folded by itself. "ß" and "ẞ" both become "ss". A sigma has the same form in every position.
  /// "ı" is not "i", because only Turkic languages pair "I" with "ı".
  package static func fold(_ text: String) -> String {
    var text = text
    return text.withUTF8 { utf8 in
      if utf8.allSatisfy({ $0 < 0x80 }) {
        return String(unsafeUninitializedCapacity: utf8.count) { buffer in
          for index in utf8.indices {
            let byte = utf8[index]
            buffer.initializeElement(at: index, to: 65 <= byte && byte <= 90 ? byte | 32 : byte)
          }
          return utf8.count
        }
      }
      var folded = ""
      for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
        switch scalar.value {
        case 0x131: folded.unicodeScalars.append(scalar)
        // Cherokee had only capital letters for long, so its small letters become these.
        case 0x13A0...0x13FD, 0xAB70...0xABBF: folded += scalar.properties.uppercaseMapping
        default:
          for lower in scalar.properties.lowercaseMapping.unicodeScalars {
            for upper in lower.properties.uppercaseMapping.unicodeScalars {
              folded += upper.properties.lowercaseMapping
            }
          }
        }
      }
      return folded
    }
  }

  /// Registers the SQL function `strata_fold(text)`, which returns any value but text unchanged.
  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, "strata_fold", 1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | Int32(SQLITE_INNOCUOUS), nil,
      { context, _, arguments in
        let value = arguments?[0]
        guard sqlite3_value_type(value) == SQLITE_TEXT else {
          return sqlite3_result_value(context, value)
        }
        // The text is read first: only then is the count that of the text's encoding.
        let bytes = sqlite3_value_text(value)
        let count = Int(sqlite3_value_bytes(value))
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        var folded = CaseFolding.fold(text)
        folded.withUTF8 { strata_result_text(context, $0.baseAddress, UInt64($0.count)) }
      }, nil, nil, nil)
  }
}
