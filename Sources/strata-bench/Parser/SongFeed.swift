import Foundation

/// JSON of songs as a server would send it, the same in every run.
///
/// A song has 12 members, one of them an object and one an array. It takes 379 bytes. Every eighth
/// song has text that is not ASCII. Every sixteenth song has escapes in its comment, if it has a
/// comment.
struct SongFeed {
  enum Layout: String {
    /// An array with an object on each line. With 200,000 songs it has 75.7 MB.
    case array
    /// An object on each line, without brackets or commas.
    case lines
  }

  /// Writes songs to a file and returns the number of bytes.
  static func write(_ count: Int, as layout: Layout, to file: URL) throws -> Int {
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw BenchError("cannot create \(file.path)")
    }
    let handle = try FileHandle(forWritingTo: file)
    var buffer = layout == .array ? Array("[\n".utf8) : []
    var written = 0
    for number in 1...count {
      append(number, to: &buffer)
      if layout == .array { buffer.append(UInt8(ascii: number < count ? "," : " ")) }
      buffer.append(UInt8(ascii: "\n"))
      if buffer.count >= 1 << 20 {
        try handle.write(contentsOf: buffer)
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
      }
    }
    if layout == .array { buffer += "]\n".utf8 }
    try handle.write(contentsOf: buffer)
    try handle.close()
    return written + buffer.count
  }

  private static let words = [
    "amazing", "grace", "river", "mountain", "light", "morning", "glory", "mercy", "kingdom",
    "heart", "fire", "ocean", "wonder", "shadow", "anchor", "harvest",
  ]
  private static let foreignWords = [
    "Größe", "façade", "naïve", "señor", "東京", "мир", "ελπίδα", "🎵",
  ]
  private static let countries = ["SE", "DE", "US", "JP", "BR", "FR", "NO", "GB"]
  private static let tags = ["\"live\"", "\"rock\"", "\"1959\"", "\"modal\"", "\"favourite\""]

  private static func append(_ number: Int, to buffer: inout [UInt8]) {
    let first = UInt64(number).mixed
    let second = first.mixed
    func add(_ text: String) { buffer.append(contentsOf: text.utf8) }
    func word(_ bits: UInt64) -> String { words[Int(bits % 16)] }
    func bit(_ position: UInt64) -> Bool { first & (1 << position) != 0 }
    let foreign = number % 8 == 0 ? " \(foreignWords[Int(second % 8)])" : ""
    add(#"{"id":\#(number),"title":"\#(word(first)) \#(word(first >> 4))\#(foreign) #\#(number)""#)
    let artist = second % 10_000
    add(#","artist":{"id":\#(artist),"name":"The \#(word(artist)) \#(word(artist >> 4)) band""#)
    add(#","country":"\#(countries[Int(artist % 8)])"}"#)
    add(
      #","duration":\#(Double(60_000 + first % 400_000) / 1000),"trackNumber":\#(first % 20 + 1)"#)
    add(#","rating":\#(bit(40) ? "\(Double(second % 1_000_000) / 200_000)" : "null")"#)
    add(#","playCount":\#(second % 3_000_000),"explicit":\#(bit(41))"#)
    add(#","releasedAt":"\#(date(first >> 8))","updatedAt":"\#(date(second >> 8))""#)
    add(",\"comment\":")
    if bit(42) {
      add("\"")
      for step in 0..<UInt64(19) { add("\(word(second >> step)) ") }
      add(number % 16 == 0 ? #"\"so\u0020what\"\n"# : "so what")
      add("\"")
    } else {
      add("null")
    }
    let some = (0..<Int(first % 4)).map { tags[(Int(second % 5) + $0) % 5] }
    add(#","tags":[\#(some.joined(separator: ","))]}"#)
  }

  private static func date(_ bits: UInt64) -> String {
    func two(_ value: UInt64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let day = "\(1990 + bits % 34)-\(two((bits >> 6) % 12 + 1))-\(two((bits >> 10) % 28 + 1))"
    return "\(day)T\(two((bits >> 15) % 24)):\(two((bits >> 20) % 60)):\(two((bits >> 26) % 60))Z"
  }
}
