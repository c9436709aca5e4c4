internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The words for the error of a source: what failed, and the remedy.
struct SourceFault {
  let message: String
  let advice: String

  /// - Parameter usual: the advice for errors whose remedy is not known.
  init(_ error: any Error, usual: String) {
    switch error {
    case let error as CocoaError where error.isMissingFile:
      message = "there is no such file"
      advice = "check the path"
    case let error as CocoaError where error.code == .fileReadNoPermission:
      message = "the file may not be read"
      advice = "check the permissions of the file"
    case let error as URLError:
      (message, advice) = Self.words(error)
    default:
      let localized = error as? any LocalizedError
      message = localized?.errorDescription ?? "\(error)"
      advice = localized?.recoverySuggestion ?? usual
    }
  }

  private static func words(_ error: URLError) -> (String, String) {
    let again = "check the connection, and run the import again"
    return switch error.code {
    case .notConnectedToInternet: ("there is no connection to the Internet", again)
    case .timedOut: ("the server did not answer in time", again)
    case .cannotFindHost, .dnsLookupFailed:
      ("no server of this name is found", "check the URL's host, and the connection")
    case .cannotConnectToHost: ("the server cannot be reached", again)
    case .networkConnectionLost: ("the connection to the server was lost", again)
    case .badURL: ("the request has no URL", "give the request a URL")
    case .unsupportedURL: ("URLs of this kind cannot be loaded", "use an http or https URL")
    case .httpTooManyRedirects:
      ("the server redirects in circles", "check the URL of the request")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      ("the server's certificate is not trusted", "check the URL and the server's certificate")
    default: ("the request failed (URLError \(error.code.rawValue))", again)
    }
  }
}

extension CocoaError {
  fileprivate var isMissingFile: Bool { code == .fileReadNoSuchFile || code == .fileNoSuchFile }
}

extension URL {
  /// The URL for messages: a path, or the scheme, host, port and path.
  ///
  /// A user's name and a query are left out, because they may have a password or a token.
  var shown: String {
    if isFileURL { return path }
    guard let scheme, let host else { return "" }
    return "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)"
  }
}
