public import FlyingFox
import FlyingSocks
import Foundation

extension HTTPServer {
  /// Makes a server to which only this machine can connect.
  ///
  /// - Parameter port: the port; 0 for any free port.
  public static func local(port: UInt16) throws -> HTTPServer {
    HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
  }

  /// Returns the server's address when it listens. Throws if it does not listen within two seconds.
  public func localAddress() async throws -> String {
    try await waitUntilListening(timeout: 2)
    guard case .ip4(_, let port) = listeningAddress else { return "" }
    return "http://localhost:\(port)/"
  }
}

extension HTTPRequest {
  /// Whether a page of this machine sends the request, or no page does.
  ///
  /// Any website could send a request to this machine, but it cannot lie about its origin.
  public var isOwn: Bool {
    guard let origin = headers[HTTPHeader("Origin")] else { return true }
    return ["localhost", "127.0.0.1"].contains(URL(string: origin)?.host())
  }
}
