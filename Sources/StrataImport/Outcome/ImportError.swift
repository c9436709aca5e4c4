public import Strata

/// The error with which an import stopped.
///
/// Batches that were committed before the error stay in the store. ``result`` counts their changes.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error. Compare with the constants; later versions may add more.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// The input is not JSON, or does not have the given format.
    public static let syntax = Code(description: "syntax")
    /// A record is longer than ``ImportOptions/longestRecord``.
    public static let recordTooLong = Code(description: "recordTooLong")
    /// A value does not fit its attribute.
    public static let invalidValue = Code(description: "invalidValue")
    /// The input could not be read.
    public static let source = Code(description: "source")
    /// The mapping does not fit the entity.
    public static let invalidMapping = Code(description: "invalidMapping")
    /// Records break rules of the entity's schema.
    ///
    /// ``ImportError/storeError`` lists every failure of their batch by key.
    public static let validationFailed = Code(description: "validationFailed")
    /// The store refused a batch; see ``ImportError/storeError``.
    public static let store = Code(description: "store")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// The kind of the error.
  public let code: Code
  /// A description of the error.
  public let message: String
  /// The number of bytes before the fault, from the start of the input.
  public private(set) var offset: Int?
  /// The fault's line, from 1.
  public private(set) var line: Int?
  /// The fault's column, from 1, in bytes.
  public private(set) var column: Int?
  /// The JSON path of the value, such as `properties.mag`.
  public private(set) var path: String?
  /// The offending text, shortened to 80 bytes.
  public private(set) var found: String?
  /// The error of the store.
  public private(set) var storeError: StoreError?
  /// The error of the source.
  ///
  /// It is a ``GzipError``, an ``HTTPStatusError``, a ``PagingError``, or the error that a file, an
  /// `AsyncSequence` or URLSession threw.
  public private(set) var underlying: (any Error)?
  /// The changes of the batches that were committed before the error.
  public internal(set) var result = ImportResult()
  /// Whether the error refuses a single record, so that reading can go on with the next.
  private(set) var isOfOneRecord = false

  private init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code): \(message)" }
}

extension ImportError {
  static func mapping(_ message: String) -> ImportError { ImportError(.invalidMapping, message) }

  static var positionKeys: ImportError {
    .mapping("records of several sources or pages cannot be known by their position in one of them")
  }

  static var changedMeanwhile: ImportError {
    ImportError(.source, "pages of the feed have changed while others were read")
  }

  static func source(_ error: any Error) -> ImportError {
    var result = ImportError(.source, "\(error)")
    result.underlying = error
    return result
  }

  static var cancelled: ImportError { ImportError(.cancelled, "the import was cancelled") }

  static func store(_ error: StoreError) -> ImportError {
    if error.code == .cancelled { return .cancelled }
    var result = ImportError(
      error.code == .validationFailed ? .validationFailed : .store, "\(error)")
    result.storeError = error
    return result
  }

  static func scan(_ error: JSONScanError) -> ImportError {
    switch error {
    case .syntax(let error): return .syntax(error)
    case .line(let error):
      var result = ImportError.syntax(error)
      result.isOfOneRecord = true
      return result
    case .value(let error):
      var result = ImportError(.invalidValue, "\(error)").at(error.location)
      result.path = "\(error.path)"
      result.found = error.found
      result.isOfOneRecord = true
      return result
    }
  }

  private static func syntax(_ error: JSONSyntaxError) -> ImportError {
    ImportError(error.code == .tooLong ? .recordTooLong : .syntax, "\(error)").at(error.location)
  }

  static func refused(
    _ error: ValueError, path: JSONPath, at location: JSONLocation?
  ) -> ImportError {
    let suffix = location.map { " in the record at \($0)" } ?? ""
    var result = ImportError(.invalidValue, "\(path): \(error.message)\(suffix)")
    if let location { result = result.at(location) }
    result.path = "\(path)"
    result.isOfOneRecord = true
    return result
  }

  static var emptyInput: ImportError {
    ImportError(
      .source, "the input is empty, which does not say that there are no records any more")
  }

  static var otherInput: ImportError {
    ImportError(.source, "the input has no record's end where the import is to go on")
  }

  /// Returns the error with its location counted from the start of the input, not from `origin`.
  func moved(by origin: ImportCheckpoint) -> ImportError {
    var copy = self
    copy.offset = offset.map { $0 + origin.offset }
    copy.line = line.map { $0 + origin.lines }
    return copy
  }

  private func at(_ location: JSONLocation) -> ImportError {
    var copy = self
    copy.offset = location.offset
    copy.line = location.line
    copy.column = location.column
    return copy
  }
}
