internal import CStrataSQLite

/// Texts without regard to case, by the rules of Unicode and of no language.
package enum CaseFolding {
  /// The text in the form that all texts share which differ in case only.
  ///
  /// Each code point by itself, to its lower case, from there to upper and back: "ß" and "ẞ" become
  /// "ss", and a sigma one form wherever it stands.
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
        for lower in scalar.properties.lowercaseMapping.unicodeScalars {
          for upper in lower.properties.uppercaseMapping.unicodeScalars {
            folded += upper.properties.lowercaseMapping
          }
        }
      }
      return folded
    }
  }

  /// SQL's `strata_fold(text)`; anything but text stays as it is.
  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, "strata_fold", 1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | Int32(SQLITE_INNOCUOUS), nil,
      { context, _, arguments in
        let value = arguments?[0]
        guard sqlite3_value_type(value) == SQLITE_TEXT else {
          return sqlite3_result_value(context, value)
        }
        // The text first: the count is that of its encoding.
        let bytes = sqlite3_value_text(value)
        let count = Int(sqlite3_value_bytes(value))
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        var folded = CaseFolding.fold(text)
        folded.withUTF8 { strata_result_text(context, $0.baseAddress, UInt64($0.count)) }
      }, nil, nil, nil)
  }
}
