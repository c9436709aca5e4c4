import Foundation
import StrataTestTurns
import Testing

@testable import CoreDataModel

@Suite(.inTurn) struct ModelSourceTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// Returns the Swift source of a model with these elements.
  private func source(_ entities: String) throws -> String {
    let model = try DataModel(xml: Data("<model>\(entities)</model>".utf8))
    return SwiftSource.text(of: model, named: "a model")
  }

  @Test func `the library's entities are those that are compiled here`() throws {
    let model = try DataModel(at: Self.folder.appending(path: "Models/Library.xcdatamodeld"))
    let compiled = try String(
      contentsOf: Self.folder.appending(path: "Library.swift"), encoding: .utf8)
    #expect(SwiftSource.text(of: model, named: "Library.xcdatamodeld") == compiled)
  }

  @Test func `a version is read by itself`() throws {
    let path = "Models/Library.xcdatamodeld/Library.xcdatamodel"
    let model = try DataModel(at: Self.folder.appending(path: path))
    #expect(model.entities.map(\.name) == ["Track"])
    #expect(model == (try DataModel(at: Self.folder.appending(path: path + "/contents"))))
  }

  @Test(arguments: ["", "<model>", "<entity/>", "not XML", "<model><entity></model>"])
  func `a text that is no data model is an error`(xml: String) {
    #expect(throws: DataModelError.self) { try DataModel(xml: Data(xml.utf8)) }
  }

  @Test func `a file that is not there is an error`() {
    #expect(throws: DataModelError.self) { try DataModel(at: URL(filePath: "/none.xcdatamodeld")) }
  }

  @Test(arguments: [
    "<attribute/><fetchIndexElement/><constraint value='x'/>",
    "<entity><fetchIndexElement property='x'/><constraint value='x'/><fetchRequest/><index/></entity>",
    "<entity><userInfo><entry key='k'/></userInfo><x><attribute><y/></attribute></x></entity>",
    "<entity name='A'><relationship name='b' destinationEntity='B'/></entity>",
    "<entity name='A'><relationship/><attribute/></entity><compositeAttribute/>",
    "<entity name='A' parentEntity='None'/><entity name='A'/>",
    "<entity name='A' parentEntity='B'/><entity name='B' parentEntity='A'/>",
    "<entity name='A' parentEntity='A' isAbstract='YES'/>",
  ])
  func `parts without their whole, and circles, are survived`(entities: String) throws {
    #expect(try source(entities).hasPrefix("// The entities of a model."))
  }

  @Test func `configurations are named, as they were files of their own`() throws {
    let text = try source(
      """
      <entity name="Page"/><entity name="Setting"/>
      <configuration name="Local"><memberEntity name="Setting"/></configuration>
      """)
    #expect(text.contains("// The configuration Local was Setting: a stack of these alone"))
  }

  @Test func `a fetch of everything has no condition`() throws {
    let text = try source(
      """
      <entity name="Page"><fetchedProperty name="others"><fetchRequest entity="Page"/>
        <userInfo><entry key="shown" value="last"/></userInfo></fetchedProperty></entity>
      <fetchRequest name="Pages" entity="Page"/>
      <fetchRequest name="Long" entity="Page" predicateString="words > 9"/>
      """)
    #expect(text.contains("// The fetched property others was every Page: write a query."))
    #expect(text.contains("// User info of others: shown = last"))
    #expect(text.contains("// The fetch request Pages was every Page: write a query."))
    #expect(text.contains("// The fetch request Long was Page where words > 9: write a query."))
  }

  // The text after a carriage return must not become code.
  @Test(arguments: ["&#13;&#10;", "&#13;", "&#10;", "&#x2028;"])
  func `a note of several lines is a comment to its end`(line: String) throws {
    let text = try source(
      """
      <entity name="Page"><userInfo><entry key="k" value="one\(line)two"/></userInfo>
        <attribute name="text" attributeType="String" regularExpressionString="a\(line)b"/></entity>
      """)
    #expect(text.contains("// User info of Page: k = one two\n"))
    #expect(text.contains("// text had to match a b\n"))
  }

  // A transient relationship stores no reference. Its inverse cannot be a list of that reference.
  @Test func `a relationship whose inverse was transient has none`() throws {
    let text = try source(
      """
      <entity name="Artist"><relationship name="songs" toMany="YES" destinationEntity="Song"
        inverseName="artist"/></entity>
      <entity name="Song"><relationship name="artist" maxCount="1" transient="YES"
        destinationEntity="Artist" inverseName="songs"/></entity>
      """)
    #expect(text.contains("// artist was transient: compute it."))
    #expect(text.contains("static let songs = manyToMany(Song.self)"))
    #expect(!text.contains("artistID"))
  }

  // A default that its type cannot hold does not compile.
  @Test(arguments: [("16", 70_000), ("16", -32_769), ("32", 3_000_000_000)])
  func `numbers beyond their type are said, not written`(width: String, number: Int) throws {
    let text = try source(
      """
      <entity name="A">
        <attribute name="a" attributeType="Integer \(width)" defaultValueString="\(number)"/>
        <attribute name="b" attributeType="Integer \(width)" maxValueString="\(number)"/>
      </entity>
      """)
    #expect(text.contains("var a: Int\(width) = 0\n"))
    #expect(text.contains("// The default of a was \(number), which is no Int\(width)."))
    #expect(text.contains("// b was to be from any to \(number)."))
  }

  // The kind of a new entity is the parent's, not the first kind by name.
  @Test func `a new entity of several kinds is of the parent's`() throws {
    func source(isAbstract: String) throws -> String {
      try self.source(
        """
        <entity name="Vehicle" isAbstract="\(isAbstract)"/>
        <entity name="Bicycle" parentEntity="Vehicle"/>
        <entity name="Owner"><relationship name="vehicle" maxCount="1" optional="YES"
          destinationEntity="Vehicle"/></entity>
        <entity name="Sledge" parentEntity="Vehicle"/>
        """)
    }
    #expect(try source(isAbstract: "NO").contains("var kind = Kind.vehicle"))
    #expect(try source(isAbstract: "YES").contains("var kind = Kind.bicycle"))
  }

  // An enumeration with one case has no size. Strata could not tell its attribute from the
  // attribute beside it, and a stack would refuse the schema.
  @Test func `an abstract parent of one child has no kinds`() throws {
    let text = try source(
      """
      <entity name="Vehicle" isAbstract="YES"/><entity name="Bicycle" parentEntity="Vehicle"/>
      <entity name="Owner">
        <relationship name="vehicle" maxCount="1" optional="YES" destinationEntity="Vehicle"/>
        <relationship name="bicycle" maxCount="1" optional="YES" destinationEntity="Bicycle"/>
      </entity>
      """)
    #expect(text.contains("struct Vehicle: Entity {\n  var id = Key<Vehicle>()\n"))
    #expect(!text.contains("kind"))
  }

  @Test func `a name that hides one of Swift's is told`() throws {
    #expect(try source("<entity name='Task'/>").contains("// Task hides what Swift calls so"))
    #expect(try !source("<entity name='Tasks'/>").contains("hides"))
  }

  @Test func `whole decimals are plain numbers`() throws {
    let text = try source(
      """
      <entity name="Account">
        <attribute name="a" attributeType="Decimal" defaultValueString="0.0"/>
        <attribute name="b" attributeType="Decimal" defaultValueString="-12"/>
        <attribute name="c" attributeType="Decimal" defaultValueString="0.1"/>
      </entity>
      """)
    #expect(text.contains("var a: Decimal = 0\n") && text.contains("var b: Decimal = -12\n"))
    #expect(text.contains("var c: Decimal = Decimal(string: \"0.1\") ?? 0"))
  }

  @Test func `no line of a long name is longer than a line`() throws {
    let name = String(repeating: "Long", count: 10)
    let text = try source("<entity name='\(name)'/>")
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(text.contains("Schema<\(name)>(\n    \"long"))
  }

  @Test func `a one-to-one relationship keeps its key on one of its two ends`() throws {
    func pair(_ person: String, _ passport: String) throws -> String {
      try source(
        """
        <entity name="Person"><relationship name="passport" maxCount="1" \(person)
          destinationEntity="Passport" inverseName="person" inverseEntity="Person"/></entity>
        <entity name="Passport"><relationship name="person" maxCount="1" \(passport)
          destinationEntity="Person" inverseName="passport" inverseEntity="Passport"/></entity>
        """)
    }
    let owned = try pair(#"optional="YES" deletionRule="Cascade""#, #"deletionRule="Nullify""#)
    #expect(owned.contains(#"toOne(\.personID, Person.self, onDelete: .cascade)"#))
    #expect(owned.contains(#"static let passport = toMany(\Passport.personID)"#))
    #expect(owned.contains(#"Unique(\.personID)"#))
    let needed = try pair(#"deletionRule="Nullify""#, #"optional="YES" deletionRule="Nullify""#)
    #expect(needed.contains(#"toOne(\.passportID, Passport.self, onDelete: .deny)"#))
    let free = try pair(#"optional="YES" deletionRule="Deny""#, #"optional="YES""#)
    #expect(free.contains(#"toOne(\.personID, Person.self, onDelete: .deny)"#))
  }

  @Test func `several relationships between two entities have names`() throws {
    let text = try source(
      """
      <entity name="Note">
        <relationship name="tags" toMany="YES" destinationEntity="Tag" inverseName="notes"/>
        <relationship name="hidden" toMany="YES" destinationEntity="Tag"/>
        <relationship name="similar" toMany="YES" destinationEntity="Note" inverseName="similar"/>
      </entity>
      <entity name="Tag">
        <relationship name="notes" toMany="YES" destinationEntity="Note" inverseName="tags"/>
      </entity>
      """)
    #expect(text.contains(#"static let tags = manyToMany(Tag.self, "tags")"#))
    #expect(text.contains(#"static let hidden = manyToMany(Tag.self, "hidden")"#))
    #expect(text.contains(#"static let notes = manyToMany(inverseOf: \Note.Type.tags)"#))
    #expect(text.contains("// similar was its own inverse: link both ways."))
    #expect(text.contains("static let similar = manyToMany(Note.self)"))
  }

  @Test func `a concrete parent is one entity with its children, an abstract one their attributes`()
    throws
  {
    let children = """
      <entity name="Car" parentEntity="Vehicle"><attribute name="doors" attributeType="Integer 64"/>
      </entity><entity name="Boat" parentEntity="Vehicle"/>
      """
    let shared = try source(#"<entity name="Vehicle"/>"# + children)
    #expect(shared.contains("enum Kind: String, AttributeValue { case vehicle, car, boat }"))
    #expect(shared.contains("var doors: Int?"))
    #expect(!shared.contains("struct Car"))
    let split = try source(#"<entity name="Vehicle" isAbstract="YES"/>"# + children)
    #expect(split.contains("var doors = 0"))
    #expect(split.contains("struct Boat") && !split.contains("struct Vehicle"))
    #expect(split.contains("Vehicle was abstract, and nothing referred to it"))
  }

  @Test func `values that are none are said, not guessed`() throws {
    let text = try source(
      """
      <entity name="A">
        <attribute name="number" attributeType="Integer 32" defaultValueString="many"/>
        <attribute name="range" attributeType="Double" minValueString="5" maxValueString="1"/>
        <attribute name="text" attributeType="String" regularExpressionString="(" minValueString="2"/>
        <attribute name="thing" attributeType="Undefined"/>
        <attribute name="due" attributeType="Date" minDateTimeInterval="0"/>
      </entity>
      """)
    #expect(text.contains("// The default of number was many, which is no Int32."))
    #expect(text.contains("// range was to be from 5 to 1."))
    #expect(text.contains("// text had to match ("))
    #expect(text.contains(#"Attribute(\.text).validated(length: 2...)"#))
    #expect(text.contains("// thing has the type Undefined, which says nothing of its values."))
    #expect(
      text.contains(
        #"Attribute(\.due).validated(Date(timeIntervalSinceReferenceDate: 0.0)...)"#))
  }
}
