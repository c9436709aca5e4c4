import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// An entity with more attributes than a word has bits.
///
/// The types of the last attributes take the codec's general way.
private struct Survey: Entity, Equatable {
  enum Grade: String, AttributeValue { case good, bad }
  var id = Key<Survey>()
  var q0 = 0
  var q1 = ""
  var q2: Double?
  var q3: Date?
  var q4 = false
  var q5 = 0
  var q6 = ""
  var q7: Double?
  var q8: Date?
  var q9 = false
  var q10 = 0
  var q11 = ""
  var q12: Double?
  var q13: Date?
  var q14 = false
  var q15 = 0
  var q16 = ""
  var q17: Double?
  var q18: Date?
  var q19 = false
  var q20 = 0
  var q21 = ""
  var q22: Double?
  var q23: Date?
  var q24 = false
  var q25 = 0
  var q26 = ""
  var q27: Double?
  var q28: Date?
  var q29 = false
  var q30 = 0
  var q31 = ""
  var q32: Double?
  var q33: Date?
  var q34 = false
  var q35 = 0
  var q36 = ""
  var q37: Double?
  var q38: Date?
  var q39 = false
  var q40 = 0
  var q41 = ""
  var q42: Double?
  var q43: Date?
  var q44 = false
  var q45 = 0
  var q46 = ""
  var q47: Double?
  var q48: Date?
  var q49 = false
  var q50 = 0
  var q51 = ""
  var q52: Double?
  var q53: Date?
  var q54 = false
  var q55 = 0
  var q56 = ""
  var q57: Double?
  var q58: Date?
  var q59 = false
  var q60 = 0
  var q61 = ""
  var q62: Double?
  var q63: Date?
  var q64 = false
  var q65 = 0
  var q66 = ""
  var q67: Double?
  var q68: Date?
  var q69 = false
  var grade = Grade.good
  var otherID: Survey.ID?

  static let other = toOne(\.otherID, Survey.self, onDelete: .nullify)
  static let schema = Schema<Survey>("surveys", key: \.id) {
    Attribute(\.q0)
    Attribute(\.q1)
    Attribute(\.q2)
    Attribute(\.q3)
    Attribute(\.q4)
    Attribute(\.q5)
    Attribute(\.q6)
    Attribute(\.q7)
    Attribute(\.q8)
    Attribute(\.q9)
    Attribute(\.q10)
    Attribute(\.q11)
    Attribute(\.q12)
    Attribute(\.q13)
    Attribute(\.q14)
    Attribute(\.q15)
    Attribute(\.q16)
    Attribute(\.q17)
    Attribute(\.q18)
    Attribute(\.q19)
    Attribute(\.q20)
    Attribute(\.q21)
    Attribute(\.q22)
    Attribute(\.q23)
    Attribute(\.q24)
    Attribute(\.q25)
    Attribute(\.q26)
    Attribute(\.q27)
    Attribute(\.q28)
    Attribute(\.q29)
    Attribute(\.q30)
    Attribute(\.q31)
    Attribute(\.q32)
    Attribute(\.q33)
    Attribute(\.q34)
    Attribute(\.q35)
    Attribute(\.q36)
    Attribute(\.q37)
    Attribute(\.q38)
    Attribute(\.q39)
    Attribute(\.q40)
    Attribute(\.q41)
    Attribute(\.q42)
    Attribute(\.q43)
    Attribute(\.q44)
    Attribute(\.q45)
    Attribute(\.q46)
    Attribute(\.q47)
    Attribute(\.q48)
    Attribute(\.q49)
    Attribute(\.q50)
    Attribute(\.q51)
    Attribute(\.q52)
    Attribute(\.q53)
    Attribute(\.q54)
    Attribute(\.q55)
    Attribute(\.q56)
    Attribute(\.q57)
    Attribute(\.q58)
    Attribute(\.q59)
    Attribute(\.q60)
    Attribute(\.q61)
    Attribute(\.q62)
    Attribute(\.q63)
    Attribute(\.q64)
    Attribute(\.q65).indexed().validated(0...)
    Attribute(\.q66).validated(length: ...5)
    Attribute(\.q67)
    Attribute(\.q68)
    Attribute(\.q69)
    Attribute(\.grade)
    other
    Unique<Survey>(\.q0, \.q65)
  }
}

/// Entities with more than 64 attributes, whose attribute sets are longer than a word.
@Suite(.inTurn, .stack(Survey.self)) @MainActor struct WideEntityTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  private let first = Survey(
    q0: 1, q1: "one", q2: 0.5, q63: Date(timeIntervalSinceReferenceDate: 63), q64: true, q65: 65,
    q66: "66", q67: 6.7, q69: true, grade: .bad)

  @Test func `every attribute comes back`() async throws {
    let second = Survey(q0: 2, q65: .max, q68: .distantPast, otherID: first.id)
    try await stack.withScratch { [first] in
      $0.insert(first)
      $0.insert(second)
    }
    #expect(stack.store.model.table(of: Survey.self).columns.count == 73)
    #expect(try await view.fetch(Survey.sorted(by: \.q65)) == [first, second])
    #expect(
      try await stack.makeScratch().find(Survey.self, [second.id, first.id]) == [second, first])
    #expect(
      try await view.fetch(Survey.where { $0.other.q66 == "66" && $0.q68 != nil }) == [second])
    #expect(
      try await view.fetch(Survey.where { $0.q67 > 6 && $0.q69 && $0.grade == .bad }) == [first])
    try await stack.withScratch { [first] in $0.delete(first) }
    #expect(try await view.fetch(Survey.all).map(\.otherID) == [nil])
  }

  @Test func `an update writes the attributes that changed, however late they come`() async throws {
    try await stack.withScratch { [first] in $0.insert(first) }
    var changes = stack.changes.makeAsyncIterator()
    try await stack.withScratch { [first] scratch in
      scratch.update(first) { ($0.q1, $0.q64, $0.q65, $0.grade) = ("uno", false, 66, .good) }
    }
    var wanted = first
    (wanted.q1, wanted.q64, wanted.q65, wanted.grade) = ("uno", false, 66, .good)
    let update = await changes.next()?.changes(of: Survey.self).updated.first
    #expect(update?.before == first && update?.after == wanted)
    let row = "SELECT q1, q64, q65, q66, grade, q0 FROM surveys"
    #expect(try await stack.rows(row) == ["uno 0 66 66 good 1"])
    // The upsert equals the stored row, so there is nothing to write.
    let commit = stack.store.newestCommit
    try await stack.withScratch { $0.upsert(wanted) }
    #expect(stack.store.newestCommit == commit)
  }

  @Test func `edits of different attributes merge, edits of one conflict`() async throws {
    try await stack.withScratch { [first] in $0.insert(first) }
    let (mine, theirs) = (stack.makeScratch(), stack.makeScratch())
    mine.update(first) { ($0.q66, $0.q2) = ("mine", 1) }
    theirs.update(first) { ($0.q67, $0.q3) = (1, .distantPast) }
    try await theirs.save()
    try await mine.save()
    #expect(try await stack.rows("SELECT q66, q67, q2 FROM surveys") == ["mine 1.0 1.0"])

    let late = stack.makeScratch()
    late.update(first) { ($0.q66, $0.q69, $0.q0) = ("late", false, 9) }
    let error = await failure { try await late.save() }
    #expect(error?.code == .conflict && error?.attributes == ["q66"])
    try await late.save(.overwrite)
    #expect(try await stack.rows("SELECT q66, q67, q69, q0 FROM surveys") == ["late 1.0 0 9"])
  }

  @Test func `the view context rebases and shows conflicts past the sixty-fourth`() async throws {
    try await stack.withScratch { [first] in $0.insert(first) }
    let live = try await view.loaded(Survey.all)
    view.update(live.elements[0]) { ($0.q65, $0.q66) = (70, "view") }
    try await view.waitUntilMerged(
      try await stack.commit { [first] in
        $0.update(first) { ($0.q66, $0.q68) = ("store", .distantPast) }
      })
    #expect(live.elements[0].q66 == "view" && live.elements[0].q68 == .distantPast)
    #expect(view.conflicts.map(\.attributes) == [["q66"]])
    view.rollback()
    #expect(live.elements[0].q66 == "store" && live.elements[0].q65 == 65)
  }

  @Test func `a live query sorted and filtered by late attributes tells what changed`() async throws
  {
    let surveys = (0..<5).map { Survey(q0: $0, q65: $0, q69: true) }
    try await stack.withScratch { for survey in surveys { $0.insert(survey) } }
    let live = try await view.loaded(Survey.where { $0.q69 }.sorted(by: \.q65, order: .reverse))
    var updates = live.updates.makeAsyncIterator()
    _ = try await stack.commit { scratch in
      scratch.update(surveys[0]) { $0.q65 = 10 }
      scratch.update(surveys[1]) { $0.q69 = false }
      scratch.update(surveys[2]) { $0.q67 = 2 }
    }
    let update = try #require(await updates.next())
    #expect(update.elements.map(\.q0) == [0, 4, 3, 2])
    #expect(live.elements.map(\.q0) == [0, 4, 3, 2] && live.elements[3].q67 == 2)
  }

  @Test func `attributes past the 64th are unique and validated, and patched by imports`()
    async throws
  {
    try await stack.withScratch { [first] in $0.insert(first) }
    let same = await failure { [stack] in
      try await stack.commit { $0.insert(Survey(q0: 1, q65: 65)) }
    }
    #expect(same?.code == .uniquenessViolated && same?.attributes == ["q0", "q65"])
    let invalid = await failure { [stack, first] in
      try await stack.commit { $0.update(first) { ($0.q65, $0.q66) = (-1, "too long") } }
    }
    #expect(invalid?.failures.map(\.attribute) == ["q65", "q66"])

    let scratch = stack.makeScratch()
    let table = stack.store.model.table(of: Survey.self)
    var batch = RecordBatch()
    var patch = Survey(id: first.id)
    (patch.q66, patch.grade) = ("patch", .good)
    batch.add(
      try table.encode(patch, RecordBuilder()), to: table, attributes: AttributeSet([0, 67, 71]))
    _ = try await scratch.save(batch)?.outcome
    #expect(
      try await stack.rows("SELECT q1, q65, q66, grade FROM surveys") == ["one 65 patch good"])
  }
}
