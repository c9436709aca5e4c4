public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The error of a response that is not a whole answer: its status is neither 200 nor 203.
///
/// ```swift
/// do {
///   try await Refresher(stack).refresh(songs)
/// } catch let error as ImportError {
///   if let answer = error.underlying as? HTTPStatusError { print(answer.status) }
/// }
/// ```
public struct HTTPStatusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The response's status, such as 404.
  public let status: Int
  /// The URL that answered, after redirections; nil if the transport names none.
  public let url: URL?
  /// The wait that the server demands before the next request; nil if it demands none.
  public let retryAfter: Duration?

  init(_ response: HTTPURLResponse) {
    status = response.statusCode
    url = response.url
    let text = response.value(forHTTPHeaderField: "Retry-After")
    retryAfter = text.flatMap { Duration(retryAfter: $0) }
  }

  /// A sentence with the status and the URL, without the URL's query, which may have a token.
  public var description: String {
    let place = url?.shown ?? ""
    return "\(reason)\(place.isEmpty ? "" : ": \(place)") (status \(status))"
  }

  private var reason: String {
    switch status {
    case 401: "the server asks for a sign-in"
    case 403: "the server does not allow the user to read this"
    case 404: "the server has nothing at this address"
    case 410: "the server has nothing at this address any more"
    case 408, 425, 429, 503: "the server is busy"
    case 500...599: "the server has failed"
    case 300...399: "the server's redirection leads nowhere"
    case 200...299: "the server's answer is not the whole feed"
    default: "the server refused the request"
    }
  }

  var advice: String {
    switch status {
    case 204, 205: "set Feed.expectsNoContent if the server answers so for a feed without records"
    case 200...299: "request the whole feed, which has status 200 or 203"
    case 304: "leave If-None-Match and If-Modified-Since to the Refresher"
    case 401: "sign in again, and give the request a new token"
    case 403: "sign in as a user who may read it"
    case 404, 410, 300...399: "check the URL of the request"
    case 408, 425, 429, 500...599: "try again later"
    case 412: "leave If-Match and If-Unmodified-Since out of the request"
    default: "correct the request; the server's documentation explains the status"
    }
  }
}
