// Made by .ci/large-model.swift
// swift-format-ignore-file
import Foundation
import Strata

struct Entity20: Entity {
  var id = Key<Entity20>()
  var a0: Date?
  var a1: String?
  var a2: Data?
  var a3: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a4: String = ""
  var a5: Double?
  var a6: Double = 0.0
  var a7: LargeModel.State = .new
  var a8: Bool = false
  var a9: UUID?
  var a10: Int?
  var a11: Int = 0
  var ref0ID: Entity04.ID?
  var ref1ID: Entity07.ID?
  var ref2ID: Entity45.ID?
  var ref3ID: Entity49.ID?

  static let ref0 = toOne(\.ref0ID, Entity04.self)
  static let ref1 = toOne(\.ref1ID, Entity07.self)
  static let ref2 = toOne(\.ref2ID, Entity45.self)
  static let ref3 = toOne(\.ref3ID, Entity49.self)
  static let many0 = toMany(\Entity02.ref1ID)
  static let many1 = toMany(\Entity07.ref6ID)
  static let schema = Schema<Entity20>("entity20", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity21: Entity {
  var id = Key<Entity21>()
  var a0: LargeModel.State = .new
  var a1: Bool = false
  var a2: UUID?
  var a3: Int?
  var a4: Int = 0
  var a5: Date?
  var a6: String?
  var a7: Data?
  var a8: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a9: String = ""
  var a10: Double?
  var a11: Double = 0.0
  var ref0ID: Entity05.ID?
  var ref1ID: Entity00.ID?
  var ref2ID: Entity56.ID?
  var ref3ID: Entity06.ID?

  static let ref0 = toOne(\.ref0ID, Entity05.self)
  static let ref1 = toOne(\.ref1ID, Entity00.self)
  static let ref2 = toOne(\.ref2ID, Entity56.self)
  static let ref3 = toOne(\.ref3ID, Entity06.self)
  static let many0 = toMany(\Entity00.ref4ID)
  static let many1 = toMany(\Entity05.ref9ID)
  static let schema = Schema<Entity21>("entity21", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity22: Entity {
  var id = Key<Entity22>()
  var a0: Data?
  var a1: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a2: String = ""
  var a3: Double?
  var a4: Double = 0.0
  var a5: LargeModel.State = .new
  var a6: Bool = false
  var a7: UUID?
  var a8: Int?
  var a9: Int = 0
  var a10: Date?
  var a11: String?
  var ref0ID: Entity06.ID?
  var ref1ID: Entity01.ID?
  var ref2ID: Entity07.ID?
  var ref3ID: Entity23.ID?

  static let ref0 = toOne(\.ref0ID, Entity06.self)
  static let ref1 = toOne(\.ref1ID, Entity01.self)
  static let ref2 = toOne(\.ref2ID, Entity07.self)
  static let ref3 = toOne(\.ref3ID, Entity23.self)
  static let many0 = toMany(\Entity03.ref0ID)
  static let many1 = toMany(\Entity29.ref3ID)
  static let schema = Schema<Entity22>("entity22", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity23: Entity {
  var id = Key<Entity23>()
  var a0: UUID?
  var a1: Int?
  var a2: Int = 0
  var a3: Date?
  var a4: String?
  var a5: Data?
  var a6: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a7: String = ""
  var a8: Double?
  var a9: Double = 0.0
  var a10: LargeModel.State = .new
  var a11: Bool = false
  var ref0ID: Entity07.ID?
  var ref1ID: Entity02.ID?
  var ref2ID: Entity18.ID?
  var ref3ID: Entity40.ID?

  static let ref0 = toOne(\.ref0ID, Entity07.self)
  static let ref1 = toOne(\.ref1ID, Entity02.self)
  static let ref2 = toOne(\.ref2ID, Entity18.self)
  static let ref3 = toOne(\.ref3ID, Entity40.self)
  static let many0 = toMany(\Entity01.ref3ID)
  static let many1 = toMany(\Entity06.ref8ID)
  static let schema = Schema<Entity23>("entity23", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity24: Entity {
  var id = Key<Entity24>()
  var a0: String = ""
  var a1: Double?
  var a2: Double = 0.0
  var a3: LargeModel.State = .new
  var a4: Bool = false
  var a5: UUID?
  var a6: Int?
  var a7: Int = 0
  var a8: Date?
  var a9: String?
  var a10: Data?
  var a11: Date = Date(timeIntervalSinceReferenceDate: 0)
  var ref0ID: Entity00.ID?
  var ref1ID: Entity03.ID?
  var ref2ID: Entity29.ID?
  var ref3ID: Entity57.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity29.self)
  static let ref3 = toOne(\.ref3ID, Entity57.self)
  static let many0 = toMany(\Entity04.ref11ID)
  static let many1 = toMany(\Entity15.ref3ID)
  static let schema = Schema<Entity24>("entity24", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity25: Entity {
  var id = Key<Entity25>()
  var a0: Int = 0
  var a1: Date?
  var a2: String?
  var a3: Data?
  var a4: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a5: String = ""
  var a6: Double?
  var a7: Double = 0.0
  var a8: LargeModel.State = .new
  var a9: Bool = false
  var a10: UUID?
  var a11: Int?
  var ref0ID: Entity01.ID?
  var ref1ID: Entity04.ID?
  var ref2ID: Entity40.ID?
  var ref3ID: Entity14.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity40.self)
  static let ref3 = toOne(\.ref3ID, Entity14.self)
  static let many0 = toMany(\Entity02.ref2ID)
  static let many1 = toMany(\Entity07.ref7ID)
  static let schema = Schema<Entity25>("entity25", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity26: Entity {
  var id = Key<Entity26>()
  var a0: Double = 0.0
  var a1: LargeModel.State = .new
  var a2: Bool = false
  var a3: UUID?
  var a4: Int?
  var a5: Int = 0
  var a6: Date?
  var a7: String?
  var a8: Data?
  var a9: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a10: String = ""
  var a11: Double?
  var ref0ID: Entity02.ID?
  var ref1ID: Entity05.ID?
  var ref2ID: Entity51.ID?
  var ref3ID: Entity31.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity51.self)
  static let ref3 = toOne(\.ref3ID, Entity31.self)
  static let many0 = toMany(\Entity00.ref5ID)
  static let many1 = toMany(\Entity05.ref10ID)
  static let schema = Schema<Entity26>("entity26", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity27: Entity {
  var id = Key<Entity27>()
  var a0: String?
  var a1: Data?
  var a2: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a3: String = ""
  var a4: Double?
  var a5: Double = 0.0
  var a6: LargeModel.State = .new
  var a7: Bool = false
  var a8: UUID?
  var a9: Int?
  var a10: Int = 0
  var a11: Date?
  var ref0ID: Entity03.ID?
  var ref1ID: Entity06.ID?
  var ref2ID: Entity02.ID?
  var ref3ID: Entity48.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity02.self)
  static let ref3 = toOne(\.ref3ID, Entity48.self)
  static let many0 = toMany(\Entity03.ref1ID)
  static let many1 = toMany(\Entity54.ref3ID)
  static let schema = Schema<Entity27>("entity27", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity28: Entity {
  var id = Key<Entity28>()
  var a0: Bool = false
  var a1: UUID?
  var a2: Int?
  var a3: Int = 0
  var a4: Date?
  var a5: String?
  var a6: Data?
  var a7: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a8: String = ""
  var a9: Double?
  var a10: Double = 0.0
  var a11: LargeModel.State = .new
  var ref0ID: Entity04.ID?
  var ref1ID: Entity07.ID?
  var ref2ID: Entity13.ID?
  var ref3ID: Entity05.ID?

  static let ref0 = toOne(\.ref0ID, Entity04.self)
  static let ref1 = toOne(\.ref1ID, Entity07.self)
  static let ref2 = toOne(\.ref2ID, Entity13.self)
  static let ref3 = toOne(\.ref3ID, Entity05.self)
  static let many0 = toMany(\Entity01.ref4ID)
  static let many1 = toMany(\Entity06.ref9ID)
  static let schema = Schema<Entity28>("entity28", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}

struct Entity29: Entity {
  var id = Key<Entity29>()
  var a0: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a1: String = ""
  var a2: Double?
  var a3: Double = 0.0
  var a4: LargeModel.State = .new
  var a5: Bool = false
  var a6: UUID?
  var a7: Int?
  var a8: Int = 0
  var a9: Date?
  var a10: String?
  var a11: Data?
  var ref0ID: Entity05.ID?
  var ref1ID: Entity00.ID?
  var ref2ID: Entity24.ID?
  var ref3ID: Entity22.ID?

  static let ref0 = toOne(\.ref0ID, Entity05.self)
  static let ref1 = toOne(\.ref1ID, Entity00.self)
  static let ref2 = toOne(\.ref2ID, Entity24.self)
  static let ref3 = toOne(\.ref3ID, Entity22.self)
  static let many0 = toMany(\Entity04.ref0ID)
  static let many1 = toMany(\Entity24.ref2ID)
  static let schema = Schema<Entity29>("entity29", key: \.id) {
    Attribute(\.a0).indexed()
    Attribute(\.a1)
    Attribute(\.a2)
    Attribute(\.a3)
    Attribute(\.a4)
    Attribute(\.a5)
    Attribute(\.a6)
    Attribute(\.a7)
    Attribute(\.a8)
    Attribute(\.a9)
    Attribute(\.a10)
    Attribute(\.a11)
    ref0
    ref1
    ref2
    ref3
    many0
    many1
  }
}
