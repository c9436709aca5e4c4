internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The parts of a request that decide which page it asks for.
///
/// They are the method, the URL, the header fields and the body. Credentials are no part, because
/// another token asks for the same page. `URLRequest` itself compares neither fields nor bodies on
/// Linux.
struct PageIdentity: Hashable {
  private let method: String
  private let url: URL?
  /// The header fields, with their names in lowercase.
  private let fields: [String: String]
  private let body: Data?
  private let stream: ObjectIdentifier?

  init(_ request: URLRequest, _ credentials: Credentials) {
    method = request.httpMethod ?? "GET"
    url = request.url
    let fields = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
    self.fields = Dictionary(fields.filter { !credentials.contains($0.0) }) { first, _ in first }
    body = request.httpBody
    stream = request.httpBodyStream.map(ObjectIdentifier.init)
  }

  /// A hash of the parts besides the URL, for the store. It tells nothing about a field's value.
  var hash: Int64 {
    var bytes: [UInt8] = []
    func add(_ part: some Sequence<UInt8>) {
      bytes += part
      // This byte ends the part, because it never occurs in UTF-8.
      bytes.append(0xFF)
    }
    add(method.utf8)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      add(name.utf8)
      add(value.utf8)
    }
    bytes.append(0xFF)
    add(body ?? Data())
    return Int64(bitPattern: bytes.stableHash)
  }
}
