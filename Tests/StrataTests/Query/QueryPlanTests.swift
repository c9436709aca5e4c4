import Foundation
internal import StrataSQLite
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct QueryPlanTests {
  private let model: Model

  init() throws { model = try Model([Track.self, Album.self]) }

  private func plan(_ query: Query<Track>) throws -> QueryPlan { try QueryPlan(query, model) }

  @Test func `a reference that is followed twice is joined once`() throws {
    let plan = try plan(
      Track.where { $0.album.year > 1 && ($0.album.name == "" || $0.album.isCompilation) })
    #expect(plan.joins.count == 1 && !plan.isRowLocal)
    #expect(plan.depends(on: model.table(of: Album.self).id))
    #expect(plan.depends(on: model.table(of: Track.self).id))
  }

  @Test func `a query of one table depends on that table alone`() throws {
    let plan = try plan(Track.where { $0.albumID == 1 }.sorted(by: \.title))
    #expect(plan.isRowLocal && plan.joins.isEmpty)
    #expect(!plan.depends(on: model.table(of: Album.self).id))
  }

  @Test func `values are parameters, never text`() throws {
    let secret = "Robert'); DROP TABLE tracks;--"
    let sql = try plan(Track.where { $0.title == secret || $0.title.contains(secret) })
      .select(limit: 7, offset: 3)
    #expect(!sql.text.contains("Robert") && sql.text.contains("?4"))
    #expect(sql.parameters == [.text(secret), .text(secret), .integer(7), .integer(3)])
  }

  @Test func `equal queries have one identity, others another`() throws {
    func identity(_ query: Query<Track>) throws -> SQLBuilder { try plan(query).identity }
    let one = try identity(Track.where { $0.rank > 1 }.sorted(by: \.title))
    #expect(try identity(Track.where { $0.rank > 1 }.sorted(by: \.title)) == one)
    let others = [
      Track.where { $0.rank > 2 }.sorted(by: \.title),
      Track.where { $0.rank >= 1 }.sorted(by: \.title),
      Track.where { $0.rank > 1 }.sorted(by: \.title, order: .reverse),
      Track.where { $0.rank > 1 }.sorted(by: \.subtitle),
      Track.where { $0.rank > 1 }.sorted(by: \.title).limit(5), Track.all,
    ]
    for other in others { #expect(try identity(other) != one) }
  }

  @Test func `every order ends with the key, once`() throws {
    let key = RecordOrder.Column(position: Table.keyColumn, isDescending: false)
    #expect(try plan(Track.all).order.columns == [key])
    #expect(try plan(Track.sorted(by: \.title)).order.columns.last == key)
    let byKey = try plan(Track.sorted(by: \.id, order: .reverse).sorted(by: \.title)).order
    #expect(byKey.columns.filter { $0.position == Table.keyColumn }.count == 1)
    let reversed = try plan(Track.sorted(by: \.title).sorted(by: \.rank, order: .reverse)).order
    #expect(reversed.columns.last == .init(position: Table.keyColumn, isDescending: true))
    #expect(try plan(Track.all).order.isByKey && !byKey.isByKey)
  }

  @Test func `a window reaches as far as its limit and offset`() throws {
    #expect(try plan(Track.all.limit(5).offset(10)).reach == 15)
    #expect(try plan(Track.all.offset(10)).reach == nil)
  }

  @Test func `a text has one identity, so that statements are shared`() {
    #expect(model.sql("SELECT 1") === model.sql("SELECT 1"))
    #expect(model.sql("SELECT 1") !== model.sql("SELECT 2"))
    for number in 0..<3_000 { #expect(model.sql("SELECT \(number)").text == "SELECT \(number)") }
  }
}
