import Foundation

/// Checks one input of libFuzzer.
///
/// The parser must end for every input. Its result must not depend on how the input is cut into
/// chunks. It must agree with Foundation about valid JSON.
///
/// This file is compiled into one module with the parser and the tests' `JSONSupport.swift`. See
/// `.ci/fuzz`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = Array(UnsafeBufferPointer(start: start, count: count))
  let chunk = 1 + text.reduce(0) { ($0 &* 31 &+ Int($1)) & 0x0F }
  checkCuts(text, chunk)
  checkVerdict(text)
  return 0
}

private let scanned: [(format: JSONFormat, plan: JSONPlan)] = [
  (.array, scannedPlan(root: "")), (.lines, scannedPlan(root: "")),
  (.featureCollection, scannedPlan(root: "properties.")),
  (.array(at: ["a", "b"]), scannedPlan(root: "o.")),
]

private func scannedPlan(root: String) -> JSONPlan {
  let kinds: [JSONColumn.Kind] = [
    .integer, .real, .bool, .text, .base64, .uuid, .date(.iso8601), .date(.epochMilliseconds),
    .json, .custom(0),
  ]
  do {
    return try JSONPlan(
      kinds.enumerated().map { number, kind in
        JSONColumn(
          try JSONPath("\(root)\("abcdefghij".dropFirst(number).prefix(1))"), kind,
          allowsNumberInString: number < 2)
      })
  } catch {
    fatalError("the fuzzer's plan: \(error)")
  }
}

/// Checks that the size of the chunks changes neither records nor errors, in every format.
private func checkCuts(_ text: [UInt8], _ chunk: Int) {
  for (format, plan) in scanned {
    let whole = scan(text, as: format, plan)
    guard scan(text, as: format, plan, chunk: chunk) == whole else {
      fatalError("\(format) in chunks of \(chunk) is not what it is in one")
    }
  }
  let (whole, cut) = (fault(in: text), fault(in: text, chunk: chunk))
  guard whole?.code == cut?.code, whole?.position == cut?.position else {
    fatalError(
      "skipped in chunks of \(chunk): \(String(describing: cut)), not \(String(describing: whole))")
  }
}

/// Checks that the parser and Foundation accept the same texts, except for the differences that the
/// article on JSON input documents.
private func checkVerdict(_ text: [UInt8]) {
  // Foundation takes a NUL as a hint of UTF-16 or UTF-32. RFC 8259 forbids these encodings.
  guard !text.contains(0), ![0xEF, 0xFE, 0xFF].contains(text.first) else { return }
  let fault = fault(in: text)
  let value = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  switch (fault, value) {
  case (nil, nil):
    // Foundation refuses a number beyond every double, even if no column reads it.
    guard hasLargeNumber(text) else { fatalError("Foundation refuses it") }
  case (let fault?, _?):
    // Foundation allows a comma before a closing bracket.
    let isTrailingComma =
      fault.code == .unexpectedByte
      && [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(
        text[fault.position])
    guard isTrailingComma else { fatalError("Foundation accepts it: \(fault)") }
  case (nil, let value?):
    checkValue(value, text)
  case (_?, nil): break
  }
}

/// Checks that a lone string has Foundation's text, and that a lone number is the nearest double.
private func checkValue(_ value: Any, _ text: [UInt8]) {
  guard
    let plan = try? JSONPlan([JSONColumn(JSONPath([.index(0)]), value is String ? .text : .real)])
  else { return }
  let outcome = scan(Array("[[".utf8) + text + Array("]]".utf8), as: .array, plan).first
  if let string = value as? String {
    guard case .text(let found)? = outcome?.values?.first else { fatalError("not a string") }
    // Foundation drops a byte order mark after an escape.
    guard withoutMarks(found) == withoutMarks(string) else { fatalError("not \(string)") }
  } else if value is NSNumber, let first = text.first(where: { $0 > 0x20 }), first < 0x3A {
    let trimmed = String(decoding: text, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard let double = Double(trimmed), outcome?.values == [.real(double)] else {
      fatalError("not \(trimmed)")
    }
  }
}

private func withoutMarks(_ text: String) -> [Unicode.Scalar] {
  text.unicodeScalars.filter { $0 != "\u{FEFF}" }
}

private func hasLargeNumber(_ text: [UInt8]) -> Bool {
  text.split { !"+-.0123456789eE".utf8.contains($0) }.contains {
    Double(String(decoding: $0, as: UTF8.self))?.isInfinite == true
  }
}
