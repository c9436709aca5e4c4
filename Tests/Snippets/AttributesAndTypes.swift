// The declarations that the snippets in the article AttributesAndTypes use.

private enum Genre: String, AttributeValue { case fiction, poetry, other }
private enum Rating: Int, ComparableValue { case poor, fair, good }

private struct Lyrics: JSONValue {
  var language = "en"
  var lines: [String] = []
}

private struct Money: Embedded {
  var amount = Decimal(0)
  var currency = "EUR"
}

private struct Release: Entity {
  var id = Key<Release>()
  var genre = Genre.other
  var rating: Rating?
  var tags: [String] = []
  var lyrics = Lyrics()
  var price = Money()
  var added = Date.now

  static let schema = Schema<Release>("releases", key: \.id) {
    Attribute(\.genre)
    Attribute(\.rating)
    Attribute(\.tags)
    Attribute(\.lyrics)
    Attribute(\.price.amount)
    Attribute(\.price.currency)
    Attribute(\.added)
  }
}

private struct Contact: Entity {
  var id = Key<Contact>()
  var name = ""
  var letter = ""

  static let schema = Schema<Contact>("contacts", key: \.id) {
    Attribute(\.name)
    Attribute(\.letter)
  }

  mutating func rename(_ name: String) { self.name = name }
}
