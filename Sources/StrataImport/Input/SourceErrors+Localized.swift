public import Foundation
internal import Strata

// An alert shows the description of an error of a source.

extension PagingError: LocalizedError, CustomNSError {
  public var errorDescription: String? { description }
  public var recoverySuggestion: String? {
    switch self {
    case .repeatedPage: "correct the server's links, or the closure of Paging.next"
    case .unreadableLink: "check the server's link, or the closure of Paging.next"
    }
  }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataPagingError" }
  public var errorCode: Int {
    switch self {
    case .repeatedPage: 1
    case .unreadableLink: 2
    }
  }
}

extension GzipError: LocalizedError, CustomNSError {
  public var errorDescription: String? { description }
  public var recoverySuggestion: String? {
    switch self {
    case .corrupt: "check that the source is gzip, and load it again"
    case .truncated: "load the source again, because its end is missing"
    }
  }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataGzipError" }
  public var errorCode: Int {
    switch self {
    case .corrupt: 1
    case .truncated: 2
    }
  }
}

extension HTTPStatusError: LocalizedError, CustomNSError {
  public var errorDescription: String? { description }
  public var recoverySuggestion: String? { advice }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataHTTPStatusError" }
  /// The status.
  public var errorCode: Int { status }
}
