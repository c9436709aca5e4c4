public import Foundation
public import Strata

/// The error with which an import stopped.
///
/// Batches that were committed before the error stay in the store. ``result`` counts their changes.
///
/// ```swift
/// do {
///   try await stack.importJSON(Song.self, from: file, mapping: Song.json)
/// } catch let error as ImportError {
///   print(error.message, error.advice, error.line ?? 0, error.path ?? "")
///   print(error.result.inserted, "rows were inserted before")
/// }
/// ```
public struct ImportError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error. Compare with the constants; later versions may add more.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The code of the bridged `NSError`. A number is never given to another code.
    let number: Int

    private init(_ number: Int, _ description: String) {
      self.number = number
      self.description = description
    }

    /// The input is not JSON.
    public static let syntax = Code(1, "syntax")
    /// A record is longer than ``ImportOptions/longestRecord``.
    public static let recordTooLong = Code(2, "recordTooLong")
    /// A value does not fit its attribute.
    public static let invalidValue = Code(3, "invalidValue")
    /// The input could not be read.
    public static let source = Code(4, "source")
    /// The mapping does not fit the entity.
    public static let invalidMapping = Code(5, "invalidMapping")
    /// Records break rules of the entity's schema.
    ///
    /// ``ImportError/storeError`` lists every failure of their batch by key.
    public static let validationFailed = Code(6, "validationFailed")
    /// The store refused a batch; see ``ImportError/storeError``.
    public static let store = Code(7, "store")
    /// The task was cancelled.
    public static let cancelled = Code(8, "cancelled")
    /// The document has no array of records at the format's path.
    ///
    /// The path is missing, or leads to an object, a text, a number or a Boolean.
    /// ``ImportError/path`` names the value. Null is no error: it has no records.
    public static let missingArray = Code(9, "missingArray")
  }

  /// The kind of the error.
  public let code: Code
  /// The description of the problem.
  public private(set) var message: String
  /// The suggested remedy.
  public private(set) var advice: String
  /// The entity of the record concerned; nil if the error concerns no record, or if the records of
  /// its array may be of several entities.
  public internal(set) var entity: String?
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
  /// The file of the input, or the URL of its request; nil for other input.
  private(set) var place: URL?
  /// Whether the error refuses a single record, so that reading can go on with the next.
  private(set) var isOfOneRecord = false

  private init(_ code: Code, _ message: String, advice: String) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  public var description: String {
    let detail = storeError.map { $0.code == .validationFailed ? "" : " (\($0.code))" } ?? ""
    return "\(code)\(detail): \(text); \(advice)"
  }

  /// The message with its entity and the place of the input.
  private var text: String {
    let text = (entity.map { "\($0): " } ?? "") + message
    guard let shown = place?.shown, !shown.isEmpty, !text.contains(shown) else { return text }
    return "\(text) (\(shown))"
  }
}

/// An alert shows ``message`` with the file or the URL of the input, and suggests ``advice``.
///
/// The URL is shown without its query, which may have a token.
extension ImportError: LocalizedError, CustomNSError {
  public var errorDescription: String? { text }
  public var recoverySuggestion: String? { advice }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataImportError" }
  /// A number for each ``Code``.
  public var errorCode: Int { code.number }
}

extension ImportError {
  static func mapping(_ message: String) -> ImportError {
    ImportError(.invalidMapping, message, advice: "correct the mapping")
  }

  static var positionKeys: ImportError {
    .mapping("records of several sources or pages cannot be known by their position in one of them")
  }

  static var changedMeanwhile: ImportError {
    ImportError(
      .source, "pages of the feed have changed while others were read", advice: again)
  }

  /// An import that is run again writes only what is new.
  private static var again: String { "run the import again; it writes only the rest" }

  static func source(_ error: any Error) -> ImportError {
    let fault = SourceFault(error, usual: again)
    var result = ImportError(.source, fault.message, advice: fault.advice)
    result.underlying = error
    return result
  }

  static var cancelled: ImportError {
    ImportError(.cancelled, "the import was cancelled", advice: again)
  }

  static func store(_ error: StoreError) -> ImportError {
    if error.code == .cancelled { return .cancelled }
    var result = ImportError(
      error.code == .validationFailed ? .validationFailed : .store,
      error.message,
      advice: error.code == .diskFull ? "free some space and \(again)" : error.advice)
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
      var result = ImportError(.invalidValue, "\(error)", advice: error.advice)
        .at(error.location)
      result.path = "\(error.path)"
      result.found = error.found
      result.isOfOneRecord = true
      return result
    }
  }

  private static func syntax(_ error: JSONSyntaxError) -> ImportError {
    let code: Code =
      switch error.code {
      case .tooLong: .recordTooLong
      case .arrayNotFound, .misplacedValue: .missingArray
      default: .syntax
      }
    var result = ImportError(code, "\(error)", advice: error.advice).at(error.location)
    result.path = error.path.flatMap { $0.isEmpty ? nil : $0 }
    return result
  }

  static func refused(
    _ error: ValueError, path: JSONPath, advice: String?, at location: JSONLocation?
  ) -> ImportError {
    let suffix = location.map { " in the record at \($0)" } ?? ""
    var result = ImportError(
      .invalidValue, "\(path): \(error.message)\(suffix)",
      advice: advice
        ?? "give the field a conversion, or a value for unknown ones with .unknown(as:)")
    if let location { result = result.at(location) }
    result.path = "\(path)"
    result.isOfOneRecord = true
    return result
  }

  static var emptyInput: ImportError {
    ImportError(
      .source, "the input is empty, which does not say that there are no records any more",
      advice: "check the source; nothing was deleted")
  }

  static var otherInput: ImportError {
    ImportError(
      .source, "the input has no record's end where the import is to go on",
      advice: "run the import again without the checkpoint")
  }

  /// Returns the error with another remedy, unless it is nil.
  func advising(_ advice: String?) -> ImportError {
    var copy = self
    copy.advice = advice ?? self.advice
    return copy
  }

  /// Returns the error of an input at a place.
  func of(_ place: URL?) -> ImportError {
    // A fault of the store is not of the input.
    if storeError != nil || code == .cancelled { return self }
    var copy = self
    copy.place = copy.place ?? place
    return copy
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
