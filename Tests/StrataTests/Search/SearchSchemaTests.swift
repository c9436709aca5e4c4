import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

@Suite(.inTurn) struct SearchSchemaTests {
  private struct Ranked: Entity {
    var id = ""
    var rank = ""
    static let schema = Schema<Ranked>("t", key: \.id) { Attribute(\.rank).fullText() }
  }

  private struct Weightless: Entity {
    var id = ""
    var text = ""
    static let schema = Schema<Weightless>("t", key: \.id) { Attribute(\.text).fullText(weight: 0) }
  }

  private struct Unsearched: Entity {
    var id = ""
    var text = ""
    static let schema = Schema<Unsearched>("t", key: \.id) {
      Attribute(\.text)
      FullText<Unsearched>(.ascii)
    }
  }

  private struct Twice: Entity {
    var id = ""
    var text = ""
    static let schema = Schema<Twice>("t", key: \.id) {
      Attribute(\.text).fullText()
      FullText<Twice>(.ascii)
      FullText<Twice>(.porter())
    }
  }

  private struct LongPrefix: Entity {
    var id = ""
    var text = ""
    static let schema = Schema<LongPrefix>("t", key: \.id) {
      Attribute(\.text).fullText()
      FullText<LongPrefix>(prefixes: 2, 1000)
    }
  }

  private struct Nul: Entity {
    var id = ""
    var text = ""
    static let schema = Schema<Nul>("t", key: \.id) {
      Attribute(\.text).fullText()
      FullText<Nul>(.unicode61(inWords: "\0"))
    }
  }

  private struct Unlisted: Entity {
    var id = ""
    var latitude = 0.0
    var longitude = 0.0
    static let place = spatial(\.latitude, \.longitude)
    static let schema = Schema<Unlisted>("t", key: \.id) {
      Attribute(\.latitude)
      place
    }
  }

  private struct Whole: Entity {
    var id = ""
    var latitude = 0
    var longitude = 0.0
    static let place = spatial(\.latitude, \.longitude)
    static let schema = Schema<Whole>("t", key: \.id) {
      Attribute(\.latitude)
      Attribute(\.longitude)
      place
    }
  }

  private struct PlaceTwice: Entity {
    var id = ""
    var latitude = 0.0
    var longitude = 0.0
    static let place = spatial(\.latitude, \.longitude)
    static let schema = Schema<PlaceTwice>("t", key: \.id) {
      Attribute(\.latitude)
      Attribute(\.longitude)
      place
      place
    }
  }

  private struct NoRowNumber: Entity {
    var id = ""
    var rowid = ""
    var oid = ""
    var last = ""
    static let schema = Schema<NoRowNumber>("t", key: \.id) {
      Attribute(\.rowid)
      Attribute(\.oid)
      Attribute(\.last, "_rowid_").fullText()
    }
  }

  @Test(arguments: [
    (Ranked.self as any Entity.Type, "Ranked.rank cannot be searched"),
    (Weightless.self, "Weightless.text has the weight 0.0"),
    (Unsearched.self, "Unsearched lists FullText, but no attribute is"),
    (Twice.self, "Twice lists FullText twice"), (LongPrefix.self, "the prefixes of LongPrefix"),
    (Nul.self, "the tokenizer of Nul has a NUL"),
    (Unlisted.self, "a place of Unlisted names something that is no attribute"),
    (Whole.self, "Whole.latitude is not stored as REAL"),
    (PlaceTwice.self, "PlaceTwice lists a place twice"),
    (NoRowNumber.self, "NoRowNumber has attributes named rowid, _rowid_ and oid"),
  ])
  func `a schema that cannot be indexed is refused`(
    type: any Entity.Type, message: String
  ) async throws {
    let error = await failure { try await Stack.temporary([type]) }
    #expect(error?.code == .invalidSchema)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test func `a module that SQLite does not have is an error of its own`() throws {
    let model = try Model([Page.self, Shelf.self])
    let table = model.table(of: Page.self)
    let index = try #require(table.search?.indexes.first)
    try withScratchConnection { connection in
      try StoreFormat.check("fts5", connection, index, table)
      let error = #expect(throws: StoreError.self) {
        try StoreFormat.check("fts99", connection, index, table)
      }
      #expect(error?.code == .missingModule)
      #expect(error?.message.contains("Page has a full-text index") == true)
    }
  }
}
