/// The error with which a scanner gives no record.
package enum JSONScanError: Error, Sendable, Equatable {
  /// The rest of the input cannot be read. The next call gives the same error.
  case syntax(JSONSyntaxError)
  /// A record was refused. The next call gives the next record.
  case value(JSONValueError)
  /// A line is not JSON. The next call goes on with the line after it.
  case line(JSONSyntaxError)
}

/// Reads records from input that arrives in chunks.
///
/// ```
/// for chunk in chunks {
///   scanner.append(chunk)
///   while try scanner.next(&scanned) { … }
/// }
/// scanner.finish()
/// while try scanner.next(&scanned) { … }
/// ```
/// A byte order mark at the start is skipped. The records, the errors and their locations do not
/// depend on the chunks. The largest record, which has a limit, and the largest chunk bound the
/// memory. A record that is cut by the end of a chunk is read again when more input has arrived. A
/// very long record waits until an eighth more has arrived, so no size of chunks makes the work
/// quadratic. Give chunks of 64 to 256 KB, and take the records of a chunk before adding the next.
package struct JSONRecordScanner: Sendable {
  private let plans: [JSONPlan]

  private var window = JSONWindow()
  private var traversal: JSONTraversal
  /// The number of unread bytes below which a record that is cut is not read again.
  private var retryCount = 0
  private var failure: JSONSyntaxError?
  /// Whether the format lets a line feed end a record.
  private let isLines: Bool
  /// The number of times that a line feed may still cause the record that is cut to be read again.
  private var lineTries = Self.lineTryLimit
  /// The initial `lineTries`. A record over more lines waits for an eighth more input.
  private static let lineTryLimit = 32
  /// The maximum number of bytes of a record.
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
  ///   - paths: at most 64 paths and their plans. No path may begin with another.
  ///   - values: the indexes of paths whose value is one record, of any kind.
  ///   - members: the indexes of paths at which the records are the members of an object.
  package init(
    _ paths: [(path: [String], plan: JSONPlan)], values: Set<Int> = [], members: Set<Int> = [],
    longestRecord: Int = .max
  ) {
    plans = paths.map(\.plan)
    traversal = JSONTraversal(paths.map(\.path), values: values, members: members)
    isLines = false
    self.longestRecord = longestRecord
  }

  /// The index of the path at which the last record was found.
  package var pathIndex: Int { traversal.pathIndex }

  /// Returns whether an array was found at a path.
  package func hasFoundArray(at path: Int) -> Bool { traversal.hasFoundArray(at: path) }

  /// Adds input.
  package mutating func append(_ chunk: UnsafeRawBufferPointer) {
    window.append(chunk)
    // A line that is complete must not wait for the next line.
    if isLines, retryCount > 0, lineTries > 0, chunk.contains(0x0A) {
      retryCount = 0
      lineTries -= 1
    }
  }

  /// Declares that all input has been added, so that the rest is read to its end.
  package mutating func finish() { window.finish() }

  /// Reads a record into `scanned`.
  ///
  /// - Returns: false if the record needs more input; after `finish`, false if no record is left.
  ///   It is meaningful only if the result is true.
  package mutating func next(_ scanned: inout ScannedRecord) throws(JSONScanError) -> Bool {
    if let failure { throw .syntax(failure) }
    guard window.isFinal || window.unreadCount >= retryCount else { return false }
    let isRecord: Bool
    do throws(JSONFault) {
      isRecord = try window.next(&traversal, plans, &scanned)
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
    if isRecord, scanned.count > longestRecord, let position = window.position(of: scanned.offset) {
      let failure = syntaxError(JSONFault(code: .tooLong, position: position))
      if isLines { throw .line(failure) }
      self.failure = failure
      throw .syntax(failure)
    }
    if let fault = scanned.fault, isRecord { throw .value(valueError(fault)) }
    return isRecord
  }

  /// The number of bytes that were read, up to the end of the last record.
  package var offset: Int { window.endOffset }
  /// The number of line feeds in these bytes.
  package var lines: Int { window.endLines }

  /// Returns the location of a record in the input; nil if its bytes are discarded, as adding input
  /// may do.
  package mutating func location(of scanned: ScannedRecord) -> JSONLocation? {
    guard let position = window.position(of: scanned.offset) else { return nil }
    return window.location(of: position)
  }

  // MARK: Errors

  private mutating func syntaxError(_ fault: JSONFault) -> JSONSyntaxError {
    let byte = window[fault.position]
    let location = window.location(of: fault.position)
    let isFirst = isLines ? location.column == 1 : traversal.isBeforeDocument
    let isMarkup = fault.code == .unexpectedByte && byte == UInt8(ascii: "<") && isFirst
    let code: JSONSyntaxError.Code = isMarkup ? .markup : fault.code
    var error = JSONSyntaxError(code: code, location: location, message: code.message(byte))
    if fault.code == .arrayNotFound {
      error.message += " at \(traversal.pathNames)"
      error.path = traversal.onlyPath
    } else if fault.code == .misplacedValue, let (path, expected) = traversal.place {
      let value = path.isEmpty ? "the document" : "\"\(path)\""
      error.message = "\(value) is \(JSONSyntaxError.Code.kind(byte)) and not \(expected)"
      error.path = path
    }
    return error
  }

  private mutating func valueError(_ fault: JSONValueFault) -> JSONValueError {
    let plan = plans[pathIndex]
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
