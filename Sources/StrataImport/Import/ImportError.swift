public import Strata

/// Why an import stopped.
///
/// Batches committed before are in the store; ``result`` says what they changed.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error. Compare with the constants; more may come.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// The input is not JSON, or not of the format that was asked for.
    public static let syntax = Code(description: "syntax")
    /// A value does not fit its attribute.
    public static let value = Code(description: "value")
    /// The input could not be read.
    public static let source = Code(description: "source")
    /// The mapping does not fit the entity.
    public static let mapping = Code(description: "mapping")
    /// Records break rules of the entity's schema; ``ImportError/storeError`` lists every failure of
    /// their batch by key.
    public static let validation = Code(description: "validation")
    /// The store refused a batch; see ``ImportError/storeError``.
    public static let store = Code(description: "store")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// The kind of the error.
  public let code: Code
  /// What happened.
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
  /// What the store said.
  public private(set) var storeError: StoreError?
  /// What the batches committed before have changed.
  public internal(set) var result = ImportResult()

  private init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code): \(message)" }
}

extension ImportError {
  static func mapping(_ message: String) -> ImportError { ImportError(.mapping, message) }

  static func source(_ error: any Error) -> ImportError { ImportError(.source, "\(error)") }

  static var cancelled: ImportError { ImportError(.cancelled, "the import was cancelled") }

  static func store(_ error: StoreError) -> ImportError {
    if error.code == .cancelled { return .cancelled }
    var result = ImportError(error.code == .validationFailed ? .validation : .store, "\(error)")
    result.storeError = error
    return result
  }

  /// What the store said after everything had been imported.
  static func store(_ error: StoreError, _ result: ImportResult) -> ImportError {
    var failed = ImportError.store(error)
    failed.result = result
    return failed
  }

  static func scan(_ error: JSONScanError) -> ImportError {
    switch error {
    case .syntax(let error):
      return ImportError(.syntax, "\(error)").at(error.location)
    case .value(let error):
      var result = ImportError(.value, "\(error)").at(error.location)
      result.path = "\(error.path)"
      result.found = error.found
      return result
    }
  }

  static func refused(
    _ error: ValueError, path: JSONPath, at location: JSONLocation?
  ) -> ImportError {
    let place = location.map { " in the record at \($0)" } ?? ""
    var result = ImportError(.value, "\(path): \(error.message)\(place)")
    if let location { result = result.at(location) }
    result.path = "\(path)"
    return result
  }

  private func at(_ location: JSONLocation) -> ImportError {
    var copy = self
    copy.offset = location.offset
    copy.line = location.line
    copy.column = location.column
    return copy
  }
}

/// What an import changed.
public struct ImportResult: Sendable, Hashable {
  /// Records read.
  public internal(set) var records = 0
  /// Rows that are new.
  public internal(set) var inserted = 0
  /// Rows with other values than before.
  public internal(set) var updated = 0
  /// Rows that had the values already; neither written nor announced.
  public internal(set) var unchanged = 0
  /// Rows deleted because the feed no longer has them.
  public internal(set) var deleted = 0
  /// Rows that stay although the feed does not have them, because somebody changed them meanwhile.
  public internal(set) var kept = 0
  /// The commit that has everything; 0 if nothing was saved.
  public internal(set) var commit: Int64 = 0
}

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
  /// Bytes read so far.
  public internal(set) var bytes = 0
  /// The size of the input in bytes, if it is known.
  public internal(set) var totalBytes: Int?
  /// What has been committed so far.
  public internal(set) var result = ImportResult()

  /// The part of the input that was read, from 0 to 1; nil if its size is not known.
  public var fraction: Double? {
    totalBytes.map { $0 == 0 ? 1 : min(1, Double(bytes) / Double($0)) }
  }
}
