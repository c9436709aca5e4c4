/// The state of the server that a store has, as named texts that only its follower reads.
///
/// It is stored in the transaction that applies the rows. A cursor stored before its rows would lose rows in a
/// crash. A follower that cannot read a cursor answers a pull as it does without one.
package struct ReplicaCursor: Sendable, Equatable, Codable {
  package enum Part: Sendable, Equatable {
    case text(String)
    case texts([String: String])
  }

  package let parts: [String: Part]

  package init(_ parts: [String: Part]) { self.parts = parts }

  package init(from decoder: any Decoder) throws {
    parts = try decoder.singleValueContainer().decode([String: Part].self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(parts)
  }

  package func text(_ name: String) -> String? {
    if case .text(let text) = parts[name] { text } else { nil }
  }

  package func texts(_ name: String) -> [String: String]? {
    if case .texts(let texts) = parts[name] { texts } else { nil }
  }
}

extension ReplicaCursor.Part: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { self = .text(try container.decode(String.self)) } catch {
      self = .texts(try container.decode([String: String].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .texts(let texts): try container.encode(texts)
    }
  }
}
