internal import CStrataSQLite

/// The tokenizers of full-text indexes.
///
/// `strata_unicode61` folds a text without regard to case and, unless it has `remove_diacritics 0`,
/// to diacritics, before FTS5's `unicode61` splits it into words. The tokenizer itself knows only
/// the diacritics of Latin letters, and the marks of other scripts divide words for it.
///
/// `strata_trigram` takes every three characters as a word, and the last two characters and the last
/// one. So every character begins a word, and a search for one or two characters is a search for
/// words that begin with them. FTS5's `trigram` ignores such a search, and a text behind a NUL.
package enum TextTokenizer {
  package static let words = "strata_unicode61"
  package static let parts = "strata_trigram"

  /// The number of characters from which a part needs no prefix search.
  package static let partLength = 3

  /// Registers the tokenizers, unless SQLite was compiled without FTS5.
  static func register(on connection: OpaquePointer) -> Int32 {
    guard let api = api(of: connection) else { return SQLITE_OK }
    for (name, tokenizer) in [(words, WordTokenizer.functions), (parts, PartTokenizer.functions)] {
      var tokenizer = tokenizer
      let code = api.pointee.xCreateTokenizer(api, name, api, &tokenizer, nil)
      if code != SQLITE_OK { return code }
    }
    return SQLITE_OK
  }

  private static func api(of connection: OpaquePointer) -> UnsafeMutablePointer<fts5_api>? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK else {
      return nil
    }
    var api: UnsafeMutablePointer<fts5_api>?
    // SQLite keeps the pointer to the name, so the name must live as long as the program.
    let name: StaticString = "fts5_api_ptr"
    return withUnsafeMutablePointer(to: &api) { place in
      name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
        _ = sqlite3_bind_pointer(statement, 1, place, $0, nil)
      }
      return sqlite3_step(statement) == SQLITE_ROW ? place.pointee : nil
    }
  }
}

/// The function to which a tokenizer gives its words: a context, flags, the word and its length, and
/// the bytes of the text from which it comes.
private typealias WordFunction =
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32
  ) -> Int32

extension UnsafePointer<CChar> {
  /// Lends the text of `count` bytes as UTF-8.
  fileprivate func withUTF8<R>(_ count: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
      body(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
  }
}

private final class WordTokenizer {
  private let parent: fts5_tokenizer
  private let instance: OpaquePointer
  private var folding: ScalarFolding

  private init(_ parent: fts5_tokenizer, _ instance: OpaquePointer, _ form: FoldedText.Form) {
    (self.parent, self.instance, folding) = (parent, instance, ScalarFolding(form))
  }

  deinit { parent.xDelete(instance) }

  static let functions = fts5_tokenizer(
    xCreate: { api, arguments, count, result in
      guard let api = api?.assumingMemoryBound(to: fts5_api.self) else { return SQLITE_ERROR }
      var parent = fts5_tokenizer()
      var data: UnsafeMutableRawPointer?
      var code = api.pointee.xFindTokenizer(api, "unicode61", &data, &parent)
      var instance: OpaquePointer?
      if code == SQLITE_OK { code = parent.xCreate(data, arguments, count, &instance) }
      guard code == SQLITE_OK, let instance else { return code == SQLITE_OK ? SQLITE_ERROR : code }
      let options = (0..<Int(count)).map { arguments?[$0].map { String(cString: $0) } ?? "" }
      let value = options.firstIndex(of: "remove_diacritics").map { options[$0 + 1] }
      let tokenizer = WordTokenizer(parent, instance, value == "0" ? .caseless : .plain)
      result?.pointee = OpaquePointer(Unmanaged.passRetained(tokenizer).toOpaque())
      return SQLITE_OK
    },
    xDelete: { if let this = $0 { Unmanaged<WordTokenizer>.fromOpaque(.init(this)).release() } },
    xTokenize: { this, context, flags, text, count, take in
      guard let this, let text, let take else { return SQLITE_OK }
      return Unmanaged<WordTokenizer>.fromOpaque(.init(this)).takeUnretainedValue()
        .tokenize(text, count, flags, context, take)
    })

  private struct Relay {
    let context: UnsafeMutableRawPointer?
    let take: WordFunction
    /// The text's byte at each byte of the folded text, and the number of the text's bytes.
    let offsets: [Int32]
  }

  private func tokenize(
    _ text: UnsafePointer<CChar>, _ count: Int32, _ flags: Int32,
    _ context: UnsafeMutableRawPointer?, _ take: WordFunction
  ) -> Int32 {
    let (isPlain, folded) = text.withUTF8(count) { utf8 in
      let isPlain = utf8.allSatisfy { $0 < 0x80 }
      return (isPlain, isPlain ? nil : FoldedText(utf8, &folding))
    }
    guard !isPlain, let folded else {
      return parent.xTokenize(instance, context, flags, text, count, take)
    }
    var relay = Relay(
      context: context, take: take, offsets: folded.offsets(upTo: count))
    return folded.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return SQLITE_OK }
      return withUnsafeMutablePointer(to: &relay) { relay in
        parent.xTokenize(instance, UnsafeMutableRawPointer(relay), flags, start, Int32(bytes.count))
        {
          context, flags, word, length, start, end in
          guard let relay = context?.assumingMemoryBound(to: Relay.self).pointee else {
            return SQLITE_ERROR
          }
          return relay.take(
            relay.context, flags, word, length, relay.offsets[Int(start)], relay.offsets[Int(end)])
        }
      }
    }
  }
}

private final class PartTokenizer {
  private var folding = ScalarFolding(.caseless)

  static let functions = fts5_tokenizer(
    xCreate: { _, _, _, result in
      result?.pointee = OpaquePointer(Unmanaged.passRetained(PartTokenizer()).toOpaque())
      return SQLITE_OK
    },
    xDelete: { if let this = $0 { Unmanaged<PartTokenizer>.fromOpaque(.init(this)).release() } },
    xTokenize: { this, context, flags, text, count, take in
      guard let this, let text, let take else { return SQLITE_OK }
      return Unmanaged<PartTokenizer>.fromOpaque(.init(this)).takeUnretainedValue()
        .tokenize(text, count, isQuery: flags & FTS5_TOKENIZE_QUERY != 0, context, take)
    })

  private func tokenize(
    _ text: UnsafePointer<CChar>, _ count: Int32, isQuery: Bool,
    _ context: UnsafeMutableRawPointer?, _ take: WordFunction
  ) -> Int32 {
    let folded = text.withUTF8(count) { FoldedText($0, &folding) }
    // A search has the last short parts in its longer parts.
    let end =
      isQuery
      ? min(folded.count, max(1, folded.count - TextTokenizer.partLength + 1)) : folded.count
    return folded.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return SQLITE_OK }
      for first in 0..<end {
        let last = min(first + TextTokenizer.partLength, folded.count)
        let part = folded.starts[first]..<folded.starts[last]
        let code = take(
          context, 0, start + part.lowerBound, Int32(part.count),
          folded.sources[first].lowerBound, folded.sources[last - 1].upperBound)
        if code != SQLITE_OK { return code }
      }
      return SQLITE_OK
    }
  }
}

extension FoldedText {
  /// Returns the text's byte at each byte of the folded text, and `end` for the end.
  fileprivate func offsets(upTo end: Int32) -> [Int32] {
    var offsets: [Int32] = []
    offsets.reserveCapacity(bytes.count + 1)
    for (index, source) in sources.enumerated() {
      for _ in starts[index]..<starts[index + 1] { offsets.append(source.lowerBound) }
    }
    offsets.append(end)
    return offsets
  }
}
