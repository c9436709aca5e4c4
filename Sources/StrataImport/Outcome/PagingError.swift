public import Foundation

/// The error of pages that cannot be read.
///
/// ```swift
/// do {
///   try await stack.importJSON(Song.self, from: .file(url))
/// } catch let error as ImportError {
///   if case .repeatedPage(let page)? = error.underlying as? PagingError { print(page ?? url) }
/// }
/// ```
public enum PagingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A page leads to a page that was read before: its request has the same URL, fields and body.
  case repeatedPage(URL?)
  /// The link to the next page cannot be read.
  case unreadableLink(String)

  public var description: String {
    switch self {
    case .repeatedPage(let url): "the pages lead back to \(url?.shown ?? "one of them")"
    case .unreadableLink(let text): "no link to another page: \(text)"
    }
  }
}
