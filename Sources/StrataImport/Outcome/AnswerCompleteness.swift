/// The completeness of a server's answer.
///
/// The cases are the rows of the table in <doc:WhenAbsenceDeletes>. A test compares them with the
/// article.
enum AnswerCompleteness: String, CaseIterable {
  case whole = "200 or 203, and its end is marked"
  case failure = "any other status, such as 206, 207 or 226"
  case noContent = "204 or 205"
  case expectedNoContent = "204 or 205, and the feed expects them"
  case cut = "the connection breaks before the marked end"
  case openEnd = "lines, and the end of the connection is the only end"
  case decodedByTransport = "lines, decoded from a content encoding by the transport"
  case emptyLines = "lines without a record"
  case missingArray = "an array of an entity is missing, null or a single record"
  case untakenRecords = "records of a type that no part of the document takes"
  case refusedRecord = "a record was refused and left out"
  case unreadableLink = "the place of the next page cannot be read"
  case unreadNextPage = "a next page is named, and the feed reads only one page"
  case repeatedPage = "a page leads to one that was read before"
  case steadyPages = "several pages, and each is unchanged after the last one was read"
  case changedPages = "several pages, and one changed while the others were read"
  case unversionedPages = "several pages, and one has no ETag"
  case trustedPages = "several pages without ETags, and the feed says that they are steady"

  /// The effect of an answer on an import that deletes absent rows.
  enum Verdict: Hashable {
    /// Rows that the answer lacks are deleted.
    case deletes
    /// No row of the entity is deleted, and ``ImportResult/incompleteEntities`` says why.
    case keeps(IncompleteEntity.Reason)
    /// The import fails.
    case fails
  }

  var verdict: Verdict {
    switch self {
    case .whole, .expectedNoContent, .steadyPages, .trustedPages: .deletes
    case .failure, .noContent, .cut, .emptyLines, .unreadableLink, .repeatedPage: .fails
    case .openEnd: .keeps(.openEnd)
    case .decodedByTransport: .keeps(.decodedByTransport)
    case .missingArray: .keeps(.missingArray)
    case .untakenRecords: .keeps(.untakenRecords)
    case .refusedRecord: .keeps(.refusedRecord)
    case .unreadNextPage: .keeps(.unreadNextPage)
    case .changedPages: .keeps(.changedPages)
    case .unversionedPages: .keeps(.unversionedPages)
    }
  }

  /// Whether records may be missing that the version of the answer's validators has.
  var mayLackRecords: Bool { self == .openEnd || self == .decodedByTransport }
}

extension AnswerCompleteness {
  /// Classifies the status of a response (RFC 9110, 15.3).
  ///
  /// Only 200 and 203 are whole answers.
  ///
  /// - Parameter expectsNoContent: whether an answer without content is a feed without records.
  init(status: Int, expectsNoContent: Bool = false) {
    self =
      switch status {
      case 200, 203: .whole
      case 204, 205: expectsNoContent ? .expectedNoContent : .noContent
      default: .failure
      }
  }

  /// Classifies the end of a response by its header fields.
  ///
  /// A JSON array or object ends with a bracket, so a cut is a syntax error, even if the transport
  /// reports no error. Lines end where the input ends. The transport notices a body that is shorter
  /// than its length or lacks its last chunk (RFC 9112, 6.3). It does not notice a compressed
  /// stream that lacks its end.
  ///
  /// - Parameters:
  ///   - isLines: whether the body is JSON lines.
  ///   - field: returns the value of a header field.
  init(ofLines isLines: Bool, field: (String) -> String?) {
    let encoding = field("Content-Encoding")?.lowercased() ?? "identity"
    let hasMarkedEnd =
      field("Content-Length") != nil
      || field("Transfer-Encoding")?.lowercased().contains("chunked") == true
    self =
      !isLines
      ? .whole : encoding != "identity" ? .decodedByTransport : hasMarkedEnd ? .whole : .openEnd
  }
}

/// An entity whose absent rows were kept, because the feed may lack records of it.
///
/// ```swift
/// let result = try await stack.importJSON(
///   Song.self, from: file, mapping: Song.json, absent: .delete)
/// for entity in result.incompleteEntities { print(entity.name, "keeps its rows:", entity.reason) }
/// ```
public struct IncompleteEntity: Sendable, Hashable, CustomStringConvertible {
  /// The reason why the server may still have rows that a feed lacks.
  public enum Reason: Sendable, Hashable {
    /// An array with the entity's records was missing, was null, or was a single record.
    case missingArray
    /// The document had records of a type that no part of the ``JSONDocument`` takes.
    case untakenRecords
    /// A record was refused and left out.
    case refusedRecord
    /// The body had neither a length nor chunks, so a lost connection looks like its end.
    case openEnd
    /// The transport decoded the body, so a compressed stream that was cut looks whole.
    case decodedByTransport
    /// The `Link` field of the response names a next page, which the feed does not read.
    case unreadNextPage
    /// A page changed while others were read, three times.
    case changedPages
    /// A page had no `ETag`, so a row may have moved between pages unseen.
    case unversionedPages
  }

  /// The entity's name.
  public let name: String
  /// The reason why its rows were kept; the first of several.
  public let reason: Reason

  public var description: String { "\(name): \(reason.description)" }
}

extension IncompleteEntity.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missingArray: "an array of its records was not there"
    case .untakenRecords: "the document had records that no part of it takes"
    case .refusedRecord: "a record was left out"
    case .openEnd: "nothing marked the end of the lines"
    case .decodedByTransport:
      "the transport decoded the lines, and does not notice where they are cut"
    case .unreadNextPage: "the answer names a next page, and the feed reads only one"
    case .changedPages: "pages changed while others were read"
    case .unversionedPages: "the pages have no ETags, and rows may move between them"
    }
  }
}
