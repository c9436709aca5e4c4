internal import CStrataSQLite
package import Foundation

/// An order of texts other than the order of their bytes, with the same comparison in SQL and in
/// memory.
///
/// A connection creates a collation when a statement first uses its name. No index and no table may
/// name a collation, because no other program could then write the file.
package enum TextCollation: Sendable, Hashable {
  case ignoringCase
  case localized(Locale)
  /// Swift's order of strings, in which the spellings of a text are equal: "é" as one code point and
  /// as two.
  case canonical

  private static let localizedPrefix = "strata_localized_"
  private static let ignoringCaseName = "strata_ignoring_case"
  private static let canonicalName = "strata_canonical"

  /// The name of the collation in SQL.
  package var name: String {
    switch self {
    case .ignoringCase: Self.ignoringCaseName
    case .localized(let locale): Self.localizedPrefix + locale.identifier
    case .canonical: Self.canonicalName
    }
  }

  package init?(name: String) {
    if name == Self.ignoringCaseName {
      self = .ignoringCase
    } else if name == Self.canonicalName {
      self = .canonical
    } else if name.hasPrefix(Self.localizedPrefix) {
      self = .localized(Locale(identifier: String(name.dropFirst(Self.localizedPrefix.count))))
    } else {
      return nil
    }
  }

  /// Returns a number that is negative, zero or positive as text `a` sorts before, with or after
  /// `b`.
  package func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    if case .canonical = self, let order = Self.orderOfPlainBytes(a, b) { return order }
    let first = String(decoding: a, as: UTF8.self)
    let second = String(decoding: b, as: UTF8.self)
    switch self {
    case .ignoringCase:
      let x = CaseFolding.fold(first).utf8
      let y = CaseFolding.fold(second).utf8
      return x.elementsEqual(y) ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1
    case .localized(let locale):
      return first.compare(second, options: [], range: nil, locale: locale).rawValue
    case .canonical: return Self.canonicalOrder(first, second)
    }
  }

  /// Returns a number that is negative, zero or positive as text `a` sorts before, with or after `b` in
  /// the order of code points of normal form C.
  ///
  /// Swift's `<` is no order of such texts: it puts neither "Rene\u{301}" before "Ren\u{e9}e" nor the
  /// reverse, and they are not equal.
  package static func canonicalOrder(_ a: String, _ b: String) -> Int {
    var (first, second) = (a, b)
    let plain = first.withUTF8 { first in
      second.withUTF8 { second in orderOfPlainBytes(.init(first), .init(second)) }
    }
    if let plain { return plain }
    let x = a.precomposedStringWithCanonicalMapping.utf8
    let y = b.precomposedStringWithCanonicalMapping.utf8
    return x.elementsEqual(y) ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1
  }

  /// Returns the canonical order of two texts that are equal or have a single spelling each; nil for
  /// other texts.
  ///
  /// A text of code points below U+0300 is in normal form C, and such texts are in the order of their
  /// bytes. Their UTF-8 has no byte from 0xCC.
  private static func orderOfPlainBytes(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
  ) -> Int? {
    let shared = min(a.count, b.count)
    var order = a.count - b.count
    if shared > 0, let x = a.baseAddress, let y = b.baseAddress {
      let bytes = memcmp(x, y, shared)
      if bytes != 0 { order = Int(bytes) }
    }
    if order == 0 { return 0 }
    func isPlain(_ text: UnsafeRawBufferPointer) -> Bool { text.allSatisfy { $0 < 0xCC } }
    return isPlain(a) && isPlain(b) ? order : nil
  }

  // MARK: SQL

  /// An object that keeps a collation alive for SQLite.
  private final class Box {
    let collation: TextCollation
    init(_ collation: TextCollation) { self.collation = collation }
  }

  /// Lets the statements of a connection use the collations.
  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_collation_needed(connection, nil) { _, connection, _, name in
      guard let connection, let name, let collation = TextCollation(name: String(cString: name))
      else { return }
      let box = Unmanaged.passRetained(Box(collation)).toOpaque()
      sqlite3_create_collation_v2(
        connection, name, SQLITE_UTF8, box,
        { box, count, bytes, otherCount, otherBytes in
          guard let box else { return 0 }
          let a = UnsafeRawBufferPointer(start: bytes, count: Int(count))
          let b = UnsafeRawBufferPointer(start: otherBytes, count: Int(otherCount))
          let collation = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().collation
          return Int32(collation.compare(a, b))
        },
        { box in
          if let box { Unmanaged<Box>.fromOpaque(box).release() }
        })
    }
  }
}
