import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Parcel: Entity {
  enum Size: String, AttributeValue { case small, large }
  var id = ""
  var price: Decimal?
  var page: URL?
  var size: Size?
  var date: Date?
  var bytes: Data?
  var place: Double?
  var insideID: String?

  static let schema = Schema<Parcel>("parcels", key: \.id) {
    Attribute(\.price)
    Attribute(\.page)
    Attribute(\.size)
    Attribute(\.date)
    Attribute(\.bytes)
    Attribute(\.place)
    toOne(\.insideID, Parcel.self, onDelete: .deny)
  }
}

/// Tests the scanner with endless input. The tests bound the bytes that the scanner takes before it
/// refuses the input, and the bytes that it keeps while it skips the input.
@Suite(.inTurn) struct HostileJSONTests {
  private static let chunk = 2 * 1024
  private static let longestRecord = 24 * 1024
  private static let most = 192 * 1024
  /// The most bytes that the scanner takes of a record that is too long. It notices the excess
  /// after at most another eighth of the limit.
  private static let bound = longestRecord + longestRecord / 8 + 2 * chunk

  /// Appends the start of a text to a scanner, and then one unit again and again.
  ///
  /// - Returns: The bytes that the scanner took, the code of its error, and the most bytes that it
  ///   kept.
  private func feed(
    _ start: String, _ unit: String, as format: JSONFormat
  ) throws -> (taken: Int, code: JSONSyntaxError.Code?, kept: Int) {
    var scanner = JSONRecordScanner(
      format, plan: try plan(("a", .text), ("b.c", .json)), longestRecord: Self.longestRecord)
    var row = ScannedRecord()
    var (taken, kept) = (0, 0)
    let units = Array(repeating: Array(unit.utf8), count: Self.chunk / unit.utf8.count + 1).joined()
    var next = Array(start.utf8)
    while taken < Self.most {
      next.withUnsafeBytes { scanner.append($0) }
      taken += next.count
      next = Array(units)
      do throws(JSONScanError) {
        while try scanner.next(&row) {}
      } catch {
        guard case .syntax(let error) = error else { continue }
        return (taken, error.code, kept)
      }
      kept = max(kept, taken - scanner.offset)
    }
    return (taken, nil, kept)
  }

  @Test(
    arguments: [
      ("[{\"", "k"), ("[{\"", "\\u0041"), ("[{\"a\":\"", "x"), ("[{\"a\":\"", "\\n"),
      ("[{\"a\":1", "1"), ("[{\"a\":-0.", "0"), ("[{\"a\":1e", "9"), ("[{\"x\":[1", ",1"),
      ("[{\"x\":[[]", ",[]"), ("[{\"a\":1", ",\"k\":1"), ("[{\"a\":1", ",\"a\":1"),
      ("[{\"b\":{\"c\":[{}", ",{}"), ("[{", " "), ("[{\"a\"", "\n"), ("[\"", "x"), ("[1", "1"),
    ])
  func `a record without an end is refused when it is too long`(start: String, unit: String) throws
  {
    let end = try feed(start, unit, as: .array)
    #expect(end.code == .tooLong && end.taken <= Self.bound, "\(end)")
  }

  // White space between records does not belong to a record. Much of it is no record that is too
  // long.
  @Test(arguments: ["", "[", "[{}", "[{},", "[{},{}]"])
  func `white space between records may be of any length, and is not kept`(start: String) throws {
    let end = try feed(start, " ", as: .array)
    #expect(end.code == nil && end.kept <= Self.bound, "\(end)")
  }

  @Test(arguments: ["", "{", "{\"x\":1", "{\"features\":", "{\"features\":[]", "{\"features\":[]}"])
  func `a long member beside the records of a collection is not kept in memory`(start: String)
    throws
  {
    let end = try feed(start, "\r\n", as: .featureCollection)
    #expect(end.code == nil && end.kept <= Self.bound, "\(end)")
  }

  @Test(arguments: [("{\"", "k"), ("{\"x\":\"", "x"), ("{\"x\":1", "1"), ("{\"x\":{\"", "k")])
  func `a key, text or number beside the records is refused when it is too long`(
    start: String, unit: String
  ) throws {
    let end = try feed(start, unit, as: .featureCollection)
    #expect(end.code == .tooLong && end.taken <= Self.bound, "\(end)")
  }

  @Test(
    arguments: [
      ("{\"x\":[1", ",1"), ("{\"x\":{\"k\":1", ",\"k\":1"), ("{\"x\":[[]", ",[[{}]]"),
      ("{\"x\":[", "\n"), ("{\"features\":[{}", ",{}"), ("{\"features\":[{}],\"x\":1", ",\"y\":{}"),
    ])
  func `a skipped value is not kept in memory, however long it is`(start: String, unit: String)
    throws
  {
    let end = try feed(start, unit, as: start.hasPrefix("[") ? .array : .featureCollection)
    #expect(end.code == nil && end.kept <= 3 * Self.chunk, "\(end)")
  }

  @Test(arguments: ["[", "{\"k\":", "[{\"k\":"])
  func `depth is refused at once`(unit: String) throws {
    for start in ["[{\"a\":", "[{\"b\":{\"c\":", "[{\"x\":"] {
      let end = try feed(start, unit, as: .array)
      #expect(end.code == .tooDeep && end.taken <= 4 * Self.chunk, "\(end)")
    }
    let end = try feed("{\"x\":", unit, as: .featureCollection)
    #expect(end.code == .tooDeep && end.taken <= 4 * Self.chunk, "\(end)")
  }

  @Test func `gzip that grows a thousandfold is unpacked in pieces`() throws {
    // Two megabytes of spaces.
    let zeros = String(repeating: "A", count: 2707)
    let text = "H4sIAAAAAAACA+3BQREAAAwCoCr28uxfYzH2ARI\(zeros)CAX90BrkqSQQIAIAA="
    var gunzip = Gunzip()
    gunzip.append(try #require(Data(base64Encoded: text)))
    var (sum, largest) = (0, 0)
    while let piece = try gunzip.next() {
      sum += piece.count
      largest = max(largest, piece.count)
    }
    try gunzip.finish()
    #expect(sum == 2 * 1024 * 1024 + 2 && largest <= ChunkReader.size)
  }

  // The result lists a hundred refused records. If their messages had whole values, the list could
  // take 1.6 GB.
  @Test(
    .stack(Parcel.self),
    arguments: ["price", "page", "size", "date", "bytes", "place", "insideID"].flatMap { member in
      ["\"<é", "\"1", "1"].map { (member, $0) }
    })
  func `the message about a long value is short`(member: String, start: String) async throws {
    let value = start + String(repeating: String(start.suffix(1)), count: 5_000)
    let end = start.hasPrefix("\"") ? "\"" : ""
    let json = Data(
      #"[{"id": "\#(value.drop { $0 == "\"" })", "\#(member)": \#(value)\#(end)}]"#.utf8)
    var options = ImportOptions()
    options.refusedRecords = .skip()
    let result = try await Stack.test.importJSON(
      Parcel.self, from: .data(json), options: options)
    for refused in result.refused {
      #expect(refused.message.utf8.count < 400, "\(refused.message.prefix(100))")
    }
    if result.refused.isEmpty { #expect(result.inserted == 1) }
  }
}
