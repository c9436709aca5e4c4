internal import Foundation

/// What a document says beside its records: ``JSONRecords/member(_:)``.
public struct JSONMembers: Sendable, Hashable {
  var texts: [String: String] = [:]

  /// The JSON text of the value at a path, as it stands in the document; nil if there is none.
  public subscript(path: String) -> String? { texts[path] }

  /// The value at a path; nil if there is none, or null.
  ///
  /// - Throws: `DecodingError` if it is another one.
  public func decoded<Value: Decodable>(
    _ type: Value.Type = Value.self, at path: String
  ) throws -> Value? {
    guard let text = texts[path] else { return nil }
    return try JSONDecoder().decode(Value?.self, from: Data(text.utf8))
  }

  /// A link of JSON:API, from the member `links`: a string, or an object with a member `href`; nil
  /// if there is none, or null.
  ///
  /// - Throws: `DecodingError` if it is neither.
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
