internal import Foundation

/// The values that a document has beside its records, kept by ``JSONRecords/member(_:)``.
///
/// ```swift
/// let document = JSONDocument {
///   JSONRecords(at: "songs", Song.json)
///   JSONRecords.member("total")
/// }
/// let result = try await stack.importJSON(document, from: file)
/// print(try result.members.decoded(Int.self, at: "total") ?? 0)
/// ```
public struct JSONMembers: Sendable, Hashable {
  var texts: [String: String] = [:]

  /// The JSON text of the value at a path, as it stands in the document; nil without such a value.
  public subscript(path: String) -> String? { texts[path] }

  /// Decodes the value at a path.
  ///
  /// - Returns: nil if the document has no such value, or null.
  /// - Throws: `DecodingError` if the value does not decode as `Value`.
  public func decoded<Value: Decodable>(
    _ type: Value.Type = Value.self, at path: String
  ) throws -> Value? {
    guard let text = texts[path] else { return nil }
    return try JSONDecoder().decode(Value?.self, from: Data(text.utf8))
  }

  /// Returns a link of JSON:API from the member `links`.
  ///
  /// A link is a string, or an object with a member `href`.
  ///
  /// - Returns: nil if the document has no such link, or null.
  /// - Throws: `DecodingError` if the link is neither a string nor such an object.
  public func link(_ relation: String) throws -> String? {
    try decoded([String: Link?].self, at: "links")?[relation]??.target
  }

  private struct Link: Decodable {
    private struct Object: Decodable { let href: String }

    let target: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      target = try (try? container.decode(String.self)) ?? container.decode(Object.self).href
    }
  }
}
