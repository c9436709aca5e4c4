import Foundation
import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Entry: Entity, Equatable {
  enum Kind: String, ComparableValue { case café, tea }

  var id = 0
  var text = ""
  var note: String?
  var kind = Kind.tea
  var count = 0
  var length = 0.0
  static let schema = Schema<Entry>("words", key: \.id) {
    Attribute(\.text).indexed()
    Attribute(\.note)
    Attribute(\.kind)
    Attribute(\.count)
    Attribute(\.length)
  }
}

/// Texts of which some are equal in Swift and have other bytes.
private let spellings = [
  "\u{C9}", "E\u{301}", "F", "Z", "e", "", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{AC00}",
  "\u{1100}\u{1161}", "e\u{301}\u{323}", "e\u{323}\u{301}", "\u{8C48}", "\u{F900}", "\u{FB01}",
  "fi", "\u{1F600}", "a\u{0}b",
]

/// Sections and groups of texts in several spellings.
///
/// Two sections of names from a closure, and two fetched groups, were named "É": the composed spelling
/// comes after "Z" in the order of bytes, the decomposed spelling before "F". A live grouped value failed
/// instead.
@Suite(.inTurn, .stack(Entry.self)) @MainActor struct SpellingTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `sections of the spellings of a letter are one section`() async throws {
    try await stack.withScratch { scratch in
      for (id, text) in ["\u{C9}tude", "Zen", "E\u{301}mile", "Fado"].enumerated() {
        scratch.insert(Entry(id: id, text: text))
      }
    }
    let live = view.live(Entry.sorted(by: \.text), section: { $0.text.prefix(1).uppercased() })
    try await live.waitUntilLoaded()
    #expect(live.sections.map(\.name) == ["F", "Z", "\u{C9}"])
    #expect(live.sections.map { $0.elements.map(\.id) } == [[3], [1], [2, 0]])
  }

  @Test func `a filter finds a group by the name that the group has`() async throws {
    try await stack.withScratch { scratch in
      for id in 0..<3 { scratch.insert(Entry(id: id, text: "E\u{301}")) }
    }
    let groups = try await stack.fetch(.count, of: Entry.all.grouped(by: \.text))
    let name = try #require(groups.first).0
    #expect(try await stack.count(Entry.where { $0.text == name }) == 3)
  }

  // MARK: Against arrays

  private struct Screens {
    let byName: SectionedLiveQuery<Entry, String>
    let byText: SectionedLiveQuery<Entry, String>
    let reversed: SectionedLiveQuery<Entry, String>
    let byNote: SectionedLiveQuery<Entry, String?>
    let computed: SectionedLiveQuery<Entry, String?>
    let window: SectionedLiveQuery<Entry, String>
    let counts: LiveValue<[String: Int]>
    let sums: LiveValue<[String?: Int]>
    let lengths: LiveValue<[String: Double]>
    let greatest: LiveValue<[String: String?]>
    let distinct: LiveValue<[Entry.Kind: Int]>
    let all: LiveValue<Int>

    @MainActor init(_ view: ViewContext) {
      byName = view.live(Entry.sorted(by: \.id), section: { $0.text })
      byText = view.live(Entry.sorted(by: \.count), sectionedBy: \.text)
      reversed = view.live(Entry.sorted(by: \.text, order: .reverse), sectionedBy: \.text)
      byNote = view.live(Entry.all, sectionedBy: \.note)
      computed = view.live(Entry.all) { $0.text }
      window = view.live(Entry.where { $0.count > 1 }.limit(7), sectionedBy: \.text)
      counts = view.live(.count, of: Entry.all.grouped(by: \.text))
      sums = view.live(.sum(\.count), of: Entry.all.grouped(by: \.note))
      lengths = view.live(.sum(\.length), of: Entry.all.grouped(by: \.text))
      greatest = view.live(.max(\.note), of: Entry.all.grouped(by: \.text))
      distinct = view.live(.distinctCount(\.text), of: Entry.all.grouped(by: \.kind))
      all = view.live(.distinctCount(\.text), of: Entry.all)
    }
  }

  @Test func `no two names are equal, whatever the spellings and edits`() async throws {
    var random = SeededRandom.printingSeed()
    let screens = Screens(view)
    for live in [screens.byName, screens.byText, screens.reversed, screens.window] {
      try await live.waitUntilLoaded()
    }
    try await screens.byNote.waitUntilLoaded()
    try await screens.computed.waitUntilLoaded()
    try await screens.counts.waitUntilLoaded()
    try await screens.sums.waitUntilLoaded()
    try await screens.lengths.waitUntilLoaded()
    try await screens.greatest.waitUntilLoaded()
    try await screens.distinct.waitUntilLoaded()
    try await screens.all.waitUntilLoaded()
    var updates = screens.byText.updates.makeAsyncIterator()
    var lists: [[Entry]] = []
    for step in 0..<30 {
      let note = Comment("step \(step) of seed \(random.seed)")
      try await edit(&random)
      let words = try await view.fetch(Entry.all)
      try checkSections(screens, words, note)
      try await checkValues(screens, words, note)
      try await checkFetches(view, words, note)
      try await checkFetches(stack, stack.fetch(Entry.all), note)
      let shown = screens.byText.sections.map { Array($0.elements) }
      if shown != lists { await updates.next()?.apply(to: &lists) }
      #expect(lists == shown, note)
    }
  }

  private func edit(_ random: inout SeededRandom) async throws {
    func word(_ id: Int) -> Entry {
      Entry(
        id: id, text: random.pick(spellings), note: random.oneIn(3) ? nil : random.pick(spellings),
        kind: random.oneIn(2) ? .café : .tea, count: random.below(5),
        length: Double(random.below(7)) / 3)
    }
    if random.oneIn(3) {
      let words = (0..<3).map { _ in word(random.below(40)) }
      try await stack.merge { scratch in words.forEach(scratch.upsert) }
    }
    for _ in 0...random.below(3) {
      let word = word(random.below(40))
      guard let old = try await view.find(Entry.self, word.id) else {
        view.insert(word)
        continue
      }
      if random.oneIn(3) { view.delete(old) } else { view.update(old) { $0 = word } }
    }
    if random.oneIn(3) { try await view.save(.overwrite) }
  }

  private func checkSections(_ screens: Screens, _ words: [Entry], _ note: Comment) throws {
    func check<Name: Hashable>(
      _ live: SectionedLiveQuery<Entry, Name>, _ words: [Entry], _ name: (Entry) -> Name
    ) {
      #expect(live.error == nil, note)
      let names = live.sections.map(\.name)
      #expect(Set(names).count == names.count && Set(names) == Set(words.map(name)), note)
      for section in live.sections {
        let found = Set(section.elements.map(\.id))
        #expect(found == Set(words.filter { name($0) == section.name }.map(\.id)), note)
      }
    }
    check(screens.byName, words) { $0.text }
    check(screens.byText, words) { $0.text }
    check(screens.reversed, words) { $0.text }
    check(screens.byNote, words) { $0.note }
    #expect(screens.byText.sections.map(\.name) == Set(words.map(\.text)).sorted(), note)
    #expect(screens.reversed.sections.map(\.name) == Set(words.map(\.text)).sorted(by: >), note)
    check(screens.computed, words) { $0.text }
    let window = words.filter { $0.count > 1 }.sorted {
      $0.text == $1.text ? $0.id < $1.id : $0.text < $1.text
    }
    // Unsaved deletions may leave a window short.
    let shown = Array(screens.window.elements)
    #expect(shown.map(\.id) == window.prefix(shown.count).map(\.id), note)
    check(screens.window, shown) { $0.text }
  }

  private func checkValues(_ screens: Screens, _ words: [Entry], _ note: Comment) async throws {
    let byText = Dictionary(grouping: words, by: \.text)
    #expect(screens.counts.value == byText.mapValues(\.count), note)
    #expect(
      screens.sums.value
        == Dictionary(grouping: words, by: \.note).mapValues { $0.reduce(0) { $0 + $1.count } },
      note)
    let bytes = { (a: String, b: String) in a.utf8.lexicographicallyPrecedes(b.utf8) }
    #expect(
      screens.greatest.value?.mapValues { $0?.utf8.map { $0 } }
        == byText.mapValues { $0.compactMap(\.note).max(by: bytes)?.utf8.map { $0 } }, note)
    #expect(
      screens.distinct.value
        == Dictionary(grouping: words, by: \.kind).mapValues { Set($0.map(\.text)).count }, note)
    #expect(screens.all.value == Set(words.map(\.text)).count, note)
    let lengths = try await view.fetch(.sum(\.length), of: Entry.all.grouped(by: \.text))
    #expect(screens.lengths.value == Dictionary(uniqueKeysWithValues: lengths), note)
    #expect(screens.counts.error == nil && screens.sums.error == nil, note)
  }

  private func checkFetches(
    _ source: some FetchSource, _ words: [Entry], _ note: Comment
  ) async throws {
    let byText = Dictionary(grouping: words, by: \.text)
    let least = byText.values
      .compactMap { $0.map(\.text).min { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
      .sorted().map { Array($0.utf8) }
    let counts = try await source.fetch(.count, .sum(\.count), of: Entry.all.grouped(by: \.text))
    #expect(counts.map { Array($0.0.utf8) } == least, note)
    #expect(counts.map(\.1) == byText.keys.sorted().map { byText[$0]?.count }, note)
    let lengths = try await source.fetch(
      .average(\.length), .distinctCount(\.note), of: Entry.all.grouped(by: \.text))
    #expect(lengths.map { Array($0.0.utf8) } == least, note)
    #expect(
      lengths.map(\.2)
        == byText.keys.sorted().map { Set((byText[$0] ?? []).compactMap(\.note)).count }, note)
    #expect(try await source.distinct(\.text, of: Entry.all).map { Array($0.utf8) } == least, note)
    let pairs = try await source.fetch(.count, of: Entry.all.grouped(by: \.text, \.note))
    let expected = Dictionary(grouping: words) { [$0.text, $0.note] }
    #expect(pairs.count == expected.count, note)
    for ((text, other), count) in pairs { #expect(expected[[text, other]]?.count == count, note) }
    let some = Entry.sorted(by: \.id).limit(9).offset(2)
    let few = Dictionary(
      grouping: words.sorted { $0.id < $1.id }.dropFirst(2).prefix(9), by: \.text)
    let fewCounts = try await source.fetch(.count, of: some.grouped(by: \.text))
    #expect(Dictionary(uniqueKeysWithValues: fewCounts) == few.mapValues(\.count), note)
  }
}

// MARK: - Other types

private struct Price: Entity {
  var id = 0
  var amount = Decimal(0)
  var isPaid = false
  var label = Label(rawValue: "")
  static let schema = Schema<Price>("prices", key: \.id) {
    Attribute(\.amount)
    Attribute(\.isPaid)
    Attribute(\.label)
  }
}

/// A text in which case makes no difference.
private struct Label: RawRepresentable, ComparableValue, Hashable {
  let rawValue: String
  init(rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// Groups and sections of values that another program has written in a form of its own.
@Suite(.inTurn) @MainActor struct LooseGroupTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private func write(_ statements: String...) async throws {
    try await file.make((1...3).map { Price(id: $0, amount: 1, label: Label(rawValue: "\($0)")) })
    let connection = try Connection(path: file.path, .readWrite)
    for statement in statements { try connection.execute(statement) }
  }

  @Test func `equal groups that are stored differently are an error by name, live as fetched`()
    async throws
  {
    try await write(
      "UPDATE prices SET amount = '1.10', label = 'JAZZ' WHERE id = 1",
      "UPDATE prices SET amount = '1.1', label = 'jazz' WHERE id = 2")
    try await file.open(Price.self) { stack in
      let view = stack.viewContext
      let amounts = Price.all.grouped(by: \.amount)
      await checkFetches(stack)
      await checkFetches(view)
      let live = view.live(.count, of: amounts)
      #expect(await failure { try await live.waitUntilLoaded() }?.code == .invalidValue)
      #expect(live.error?.attributes == ["amount"] && live.value == nil)
      let sections = view.live(Price.all, sectionedBy: \.label)
      let error = await failure { try await sections.waitUntilLoaded() }
      #expect(error?.code == .invalidValue && error?.keys == [RecordKey(.integer(1))])
      #expect(sections.sections.isEmpty)
      // The remedy works.
      try await stack.update(Price.where { $0.id < 3 }, .set(\.amount, to: 2))
      #expect(try await live.waitUntilLoaded() == [1: 1, 2: 2])
      try await stack.update(Price.where { $0.id < 3 }, .set(\.label, to: Label(rawValue: "jazz")))
      try await sections.waitUntilLoaded()
      #expect(sections.sections.map(\.name.rawValue) == ["3", "jazz"])
    }
  }

  private func checkFetches(_ source: some FetchSource) async {
    let amounts = Price.all.grouped(by: \.amount)
    let error = await failure { try await source.fetch(.count, of: amounts) }
    #expect(error?.code == .invalidValue && error?.attributes == ["amount"])
    #expect(error?.message.contains("two groups by Price.amount are equal") == true)
    #expect(await failure { try await source.distinct(\.amount, of: Price.all) } != nil)
    let labels = Price.all.grouped(by: \.isPaid, \.label)
    let other = await failure { try await source.fetch(.count, of: labels) }
    #expect(other?.attributes == ["label"])
    // A single spelling is a group like any other.
    let some = Price.where { $0.id != 2 }.grouped(by: \.amount)
    let counts = try? await source.fetch(.count, of: some).map(\.1)
    #expect(counts == [1, 1])
  }

  @Test func `a truth value other than 0 and 1 is no section of its own`() async throws {
    try await write("UPDATE prices SET isPaid = 2 WHERE id = 2")
    try await file.open(Price.self) { stack in
      let sections = stack.viewContext.live(Price.all, sectionedBy: \.isPaid)
      let error = await failure { try await sections.waitUntilLoaded() }
      #expect(error?.code == .invalidValue && error?.keys == [RecordKey(.integer(2))])
    }
  }
}
