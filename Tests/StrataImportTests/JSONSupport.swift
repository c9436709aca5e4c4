@testable import StrataImport

/// A cell as a value that can be compared between rows.
enum Value: Equatable {
  case missing, null, unfit
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  init(_ cell: ScannedRecord.Cell, in row: ScannedRecord) {
    self =
      switch cell {
      case .missing: .missing
      case .null: .null
      case .unfit: .unfit
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let bytes): .text(row.string(bytes))
      case .blob(let bytes): .blob(row.bytes(bytes))
      }
  }
}

/// The outcome of one call of `next`.
enum Outcome: Equatable {
  case row([Value], offset: Int)
  case refused(JSONValueError)
  case failed(JSONSyntaxError)

  var values: [Value]? { if case .row(let values, _) = self { values } else { nil } }
  var refusal: JSONValueError? { if case .refused(let error) = self { error } else { nil } }
  var failure: JSONSyntaxError? { if case .failed(let error) = self { error } else { nil } }
}

/// Returns all outcomes of a scanner for a text that arrives in chunks of a size.
func scan(
  _ text: some Sequence<UInt8>, as format: JSONFormat = .array, _ plan: JSONPlan,
  chunk: Int = .max, longestRecord: Int = .max
) -> [Outcome] {
  var scanner = JSONRecordScanner(format, plan: plan, longestRecord: longestRecord)
  var row = ScannedRecord()
  var outcomes: [Outcome] = []

  /// Reads all available records. Returns false after a syntax error, which ends the input.
  func pull() -> Bool {
    while true {
      do throws(JSONScanError) {
        guard try scanner.next(&row) else { return true }
        outcomes.append(.row(row.cells.map { Value($0, in: row) }, offset: row.offset))
      } catch {
        switch error {
        case .value(let error): outcomes.append(.refused(error))
        case .line(let error): outcomes.append(.failed(error))
        case .syntax(let error):
          outcomes.append(.failed(error))
          return false
        }
      }
    }
  }

  var rest = Array(text)[...]
  while !rest.isEmpty {
    rest.prefix(chunk).withUnsafeBytes { scanner.append($0) }
    rest = rest.dropFirst(chunk)
    guard pull() else { return outcomes }
  }
  scanner.finish()
  _ = pull()
  return outcomes
}

func scan(_ text: String, as format: JSONFormat = .array, _ plan: JSONPlan) -> [Outcome] {
  scan(text.utf8, as: format, plan)
}

/// Returns the fault of a text that should be one JSON value and arrives in chunks of a size.
func fault(in text: some Sequence<UInt8>, chunk: Int = .max) -> JSONFault? {
  var window = JSONWindow()
  var rest = Array(text)[...]
  while true {
    do throws(JSONFault) {
      try window.read { (reader) throws(JSONFault) in
        try reader.skipValue()
        _ = reader.peek()
        guard reader.isAtEnd else { throw reader.fault(.trailingGarbage, at: reader.cursor) }
        guard reader.isFinal else { throw reader.fault(at: reader.cursor) }
      }
      return nil
    } catch {
      guard error.code == .unexpectedEnd, !window.isFinal else { return error }
    }
    if rest.isEmpty {
      window.finish()
    } else {
      rest.prefix(chunk).withUnsafeBytes { window.append($0) }
      rest = rest.dropFirst(chunk)
    }
  }
}

func plan(_ columns: (String, JSONColumn.Kind)...) throws -> JSONPlan {
  try JSONPlan(columns.map { JSONColumn(try JSONPath($0), $1) })
}
