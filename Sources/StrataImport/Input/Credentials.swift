internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The header fields that only one origin may get.
///
/// A server's answer names the URL of the next page and of a redirection, and a server is not
/// trusted. So the URL alone decides which request has the fields.
struct Credentials: Sendable {
  /// The names of the fields, in lowercase.
  private let names: Set<String>
  private let origin: Origin?

  /// - Parameter url: a URL of the only origin that may get the fields.
  init(_ names: Set<String>, of url: URL?) {
    self.names = Set(names.map { $0.lowercased() })
    origin = Origin(url)
  }

  /// Returns the request without the fields if it goes to another origin.
  func withheld(from request: URLRequest) -> URLRequest {
    guard Origin(request.url) != origin else { return request }
    return request.without(names)
  }

  /// Returns the request with the fields of a configuration, and the configuration without them.
  ///
  /// URLSession adds the fields of its configuration to every request, also after a redirection.
  func gathered(
    _ request: URLRequest, _ configuration: URLSessionConfiguration
  ) -> (URLRequest, URLSessionConfiguration) {
    let fields = configuration.httpAdditionalHeaders ?? [:]
    let own = fields.filter { isName($0.key) }
    guard !own.isEmpty, let copy = configuration.copy() as? URLSessionConfiguration else {
      return (request, configuration)
    }
    copy.httpAdditionalHeaders = fields.filter { !isName($0.key) }
    var request = request
    for (name, value) in own {
      if let name = name.base as? String, request.value(forHTTPHeaderField: name) == nil {
        request.setValue("\(value)", forHTTPHeaderField: name)
      }
    }
    return (withheld(from: request), copy)
  }

  /// Whether a header field is one of the credentials.
  func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

  private func isName(_ key: AnyHashable) -> Bool { (key.base as? String).map(contains) ?? false }
}

extension URLRequest {
  /// Returns the request without some header fields, whose names are in lowercase.
  func without(_ names: Set<String>) -> URLRequest {
    var copy = self
    for name in (allHTTPHeaderFields ?? [:]).keys where names.contains(name.lowercased()) {
      copy.setValue(nil, forHTTPHeaderField: name)
    }
    return copy
  }
}

/// The scheme, host and port of a URL (RFC 6454).
private struct Origin: Hashable {
  private let scheme: String
  private let host: String
  private let port: Int?

  /// Returns nil for a URL without a host, such as that of a file.
  init?(_ url: URL?) {
    guard let scheme = url?.scheme?.lowercased(), let host = url?.host?.lowercased(), host != ""
    else { return nil }
    self.scheme = scheme
    self.host = host
    port = url?.port ?? ["http": 80, "https": 443][scheme]
  }
}
