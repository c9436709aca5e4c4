/// Why a scanner could not give a record.
package enum JSONScanError: Error, Sendable, Equatable {
  /// The input cannot be read any further; asking again gives the same error.
  case syntax(JSONSyntaxError)
  /// One record was refused; asking again gives the next record.
  case value(JSONValueError)
  /// One line is not JSON; asking again goes on with the line after it.
  case line(JSONSyntaxError)
}

/// Reads records from input that arrives in chunks.
///
/// ```
/// for chunk in chunks {
///   scanner.append(chunk)
///   while try scanner.next(&row) { … }
/// }
/// scanner.finish()
/// while try scanner.next(&row) { … }
/// ```
/// A byte order mark at the start is skipped. Records and errors, with their locations, are the
/// same however the input is cut. Memory is bounded by the largest record, for which there is a
/// limit, and the largest chunk; a record cut by a chunk's end is read again when there is more,
/// and a very long one only when an eighth more has arrived, so that no size of chunks makes the
/// work quadratic. Give chunks of 64 to 256 KB and take the records of each before the next.
package struct JSONRecordScanner: Sendable {
  private let plans: [JSONPlan]

  private var window = JSONWindow()
  private var traversal: JSONTraversal
  /// Unread bytes below which trying again is not worth it.
  private var retryCount = 0
  private var failure: JSONSyntaxError?
  /// Whether the format lets a line feed end a record.
  private let isLines: Bool
  /// How often a line feed may still let the record that is cut be read again.
  private var lineTries = Self.lineTryLimit
  /// Records over more lines wait for an eighth more, as any long one does.
  private static let lineTryLimit = 32
  /// The most bytes of a record.
  private let longestRecord: Int

  package init(_ format: JSONFormat, plan: JSONPlan, longestRecord: Int = .max) {
    plans = [plan]
    traversal = JSONTraversal(format)
    isLines = format == .lines
    self.longestRecord = longestRecord
  }

  /// Reads the arrays at several paths of a document, each by a plan of its own.
  ///
  /// - Parameters:
  ///   - places: at most 64, of which no path leads to another one.
  ///   - values: the places whose value is one record, whatever it is.
  package init(
    _ places: [(path: [String], plan: JSONPlan)], values: Set<Int> = [],
    longestRecord: Int = .max
  ) {
    plans = places.map(\.plan)
    traversal = JSONTraversal(places.map(\.path), values: values)
    isLines = false
    self.longestRecord = longestRecord
  }

  /// Which of the places the last record was found at.
  package var place: Int { traversal.place }

  /// Whether there was an array at one of the places.
  package func hasFoundArray(at place: Int) -> Bool { traversal.hasFoundArray(at: place) }

  /// Adds input.
  package mutating func append(_ chunk: UnsafeRawBufferPointer) {
    window.append(chunk)
    // A line that is now complete shall not wait for the next one.
    if isLines, retryCount > 0, lineTries > 0, chunk.contains(0x0A) {
      retryCount = 0
      lineTries -= 1
    }
  }

  /// Declares that all input has been added; what is left is then read to its end.
  package mutating func finish() { window.finish() }

  /// Reads one record into `row`; false if that needs more input, or after `finish` if there are no
  /// more.
  ///
  /// The row is meaningful only if this returns true.
  package mutating func next(_ row: inout JSONRow) throws(JSONScanError) -> Bool {
    if let failure { throw .syntax(failure) }
    guard window.isFinal || window.unreadCount >= retryCount else { return false }
    let isRecord: Bool
    do throws(JSONFault) {
      isRecord = try window.next(&traversal, plans, &row)
      (retryCount, lineTries) = (0, Self.lineTryLimit)
    } catch {
      var error = error
      if error.code == .unexpectedEnd, window.unreadCount > longestRecord {
        error = JSONFault(code: .tooLong, position: window.consumed)
      } else if error.code == .unexpectedEnd, !window.isFinal {
        retryCount = window.unreadCount + max(1, window.unreadCount / 8)
        return false
      }
      let failure = syntaxError(error)
      if traversal.leaveLine() {
        (retryCount, lineTries) = (0, Self.lineTryLimit)
        throw .line(failure)
      }
      self.failure = failure
      throw .syntax(failure)
    }
    if isRecord, row.count > longestRecord, let position = window.position(of: row.offset) {
      let failure = syntaxError(JSONFault(code: .tooLong, position: position))
      if isLines { throw .line(failure) }
      self.failure = failure
      throw .syntax(failure)
    }
    if let fault = row.fault, isRecord { throw .value(valueError(fault)) }
    return isRecord
  }

  /// The bytes that were read, up to the end of the last record.
  package var offset: Int { window.endOffset }
  /// The line feeds among them.
  package var lines: Int { window.endLines }

  /// Where a record is in the input; nil after more input was added.
  package mutating func location(of row: JSONRow) -> JSONLocation? {
    guard let position = window.position(of: row.offset) else { return nil }
    return window.location(of: position)
  }

  // MARK: Errors

  private mutating func syntaxError(_ fault: JSONFault) -> JSONSyntaxError {
    JSONSyntaxError(
      code: fault.code, location: window.location(of: fault.position),
      message: fault.code.message(window[fault.position]))
  }

  private mutating func valueError(_ fault: JSONValueFault) -> JSONValueError {
    let plan = plans[place]
    let (path, slot): (JSONPath, Int?) =
      switch fault.site {
      case .slot(let slot): (plan.columns[slot].path, slot)
      case .node(let node): (plan.paths[node], nil)
      }
    return JSONValueError(
      problem: fault.problem, path: path, slot: slot, found: window.excerpt(fault.range),
      location: window.location(of: fault.range.lowerBound))
  }
}
