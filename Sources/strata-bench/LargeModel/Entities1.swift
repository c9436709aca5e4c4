// Made by .ci/large-model.swift
// swift-format-ignore-file
import Foundation
import Strata

struct Entity10: Entity {
  var id = Key<Entity10>()
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
  var ref0ID: Entity02.ID?
  var ref1ID: Entity05.ID?
  var ref2ID: Entity55.ID?
  var ref3ID: Entity59.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity55.self)
  static let ref3 = toOne(\.ref3ID, Entity59.self)
  static let many0 = toMany(\Entity02.ref11ID)
  static let many1 = toMany(\Entity07.ref4ID)
  static let schema = Schema<Entity10>("entity10", key: \.id) {
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

struct Entity11: Entity {
  var id = Key<Entity11>()
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
  var ref0ID: Entity03.ID?
  var ref1ID: Entity06.ID?
  var ref2ID: Entity06.ID?
  var ref3ID: Entity16.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity06.self)
  static let ref3 = toOne(\.ref3ID, Entity16.self)
  static let many0 = toMany(\Entity00.ref2ID)
  static let many1 = toMany(\Entity05.ref7ID)
  static let schema = Schema<Entity11>("entity11", key: \.id) {
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

struct Entity12: Entity {
  var id = Key<Entity12>()
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
  var ref0ID: Entity04.ID?
  var ref1ID: Entity07.ID?
  var ref2ID: Entity17.ID?
  var ref3ID: Entity33.ID?

  static let ref0 = toOne(\.ref0ID, Entity04.self)
  static let ref1 = toOne(\.ref1ID, Entity07.self)
  static let ref2 = toOne(\.ref2ID, Entity17.self)
  static let ref3 = toOne(\.ref3ID, Entity33.self)
  static let many0 = toMany(\Entity03.ref10ID)
  static let many1 = toMany(\Entity17.ref2ID)
  static let schema = Schema<Entity12>("entity12", key: \.id) {
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

struct Entity13: Entity {
  var id = Key<Entity13>()
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
  var ref0ID: Entity05.ID?
  var ref1ID: Entity00.ID?
  var ref2ID: Entity28.ID?
  var ref3ID: Entity50.ID?

  static let ref0 = toOne(\.ref0ID, Entity05.self)
  static let ref1 = toOne(\.ref1ID, Entity00.self)
  static let ref2 = toOne(\.ref2ID, Entity28.self)
  static let ref3 = toOne(\.ref3ID, Entity50.self)
  static let many0 = toMany(\Entity01.ref1ID)
  static let many1 = toMany(\Entity06.ref6ID)
  static let schema = Schema<Entity13>("entity13", key: \.id) {
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

struct Entity14: Entity {
  var id = Key<Entity14>()
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
  var ref0ID: Entity06.ID?
  var ref1ID: Entity01.ID?
  var ref2ID: Entity39.ID?
  var ref3ID: Entity07.ID?

  static let ref0 = toOne(\.ref0ID, Entity06.self)
  static let ref1 = toOne(\.ref1ID, Entity01.self)
  static let ref2 = toOne(\.ref2ID, Entity39.self)
  static let ref3 = toOne(\.ref3ID, Entity07.self)
  static let many0 = toMany(\Entity04.ref9ID)
  static let many1 = toMany(\Entity25.ref3ID)
  static let schema = Schema<Entity14>("entity14", key: \.id) {
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

struct Entity15: Entity {
  var id = Key<Entity15>()
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
  var ref0ID: Entity07.ID?
  var ref1ID: Entity02.ID?
  var ref2ID: Entity50.ID?
  var ref3ID: Entity24.ID?

  static let ref0 = toOne(\.ref0ID, Entity07.self)
  static let ref1 = toOne(\.ref1ID, Entity02.self)
  static let ref2 = toOne(\.ref2ID, Entity50.self)
  static let ref3 = toOne(\.ref3ID, Entity24.self)
  static let many0 = toMany(\Entity02.ref0ID)
  static let many1 = toMany(\Entity07.ref5ID)
  static let schema = Schema<Entity15>("entity15", key: \.id) {
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

struct Entity16: Entity {
  var id = Key<Entity16>()
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
  var ref0ID: Entity00.ID?
  var ref1ID: Entity03.ID?
  var ref2ID: Entity01.ID?
  var ref3ID: Entity41.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity01.self)
  static let ref3 = toOne(\.ref3ID, Entity41.self)
  static let many0 = toMany(\Entity00.ref3ID)
  static let many1 = toMany(\Entity05.ref8ID)
  static let schema = Schema<Entity16>("entity16", key: \.id) {
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

struct Entity17: Entity {
  var id = Key<Entity17>()
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
  var ref0ID: Entity01.ID?
  var ref1ID: Entity04.ID?
  var ref2ID: Entity12.ID?
  var ref3ID: Entity58.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity12.self)
  static let ref3 = toOne(\.ref3ID, Entity58.self)
  static let many0 = toMany(\Entity03.ref11ID)
  static let many1 = toMany(\Entity12.ref2ID)
  static let schema = Schema<Entity17>("entity17", key: \.id) {
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

struct Entity18: Entity {
  var id = Key<Entity18>()
  var a0: Int?
  var a1: Int = 0
  var a2: Date?
  var a3: String?
  var a4: Data?
  var a5: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a6: String = ""
  var a7: Double?
  var a8: Double = 0.0
  var a9: LargeModel.State = .new
  var a10: Bool = false
  var a11: UUID?
  var ref0ID: Entity02.ID?
  var ref1ID: Entity05.ID?
  var ref2ID: Entity23.ID?
  var ref3ID: Entity15.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity23.self)
  static let ref3 = toOne(\.ref3ID, Entity15.self)
  static let many0 = toMany(\Entity01.ref2ID)
  static let many1 = toMany(\Entity06.ref7ID)
  static let schema = Schema<Entity18>("entity18", key: \.id) {
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

struct Entity19: Entity {
  var id = Key<Entity19>()
  var a0: Double?
  var a1: Double = 0.0
  var a2: LargeModel.State = .new
  var a3: Bool = false
  var a4: UUID?
  var a5: Int?
  var a6: Int = 0
  var a7: Date?
  var a8: String?
  var a9: Data?
  var a10: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a11: String = ""
  var ref0ID: Entity03.ID?
  var ref1ID: Entity06.ID?
  var ref2ID: Entity34.ID?
  var ref3ID: Entity32.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity34.self)
  static let ref3 = toOne(\.ref3ID, Entity32.self)
  static let many0 = toMany(\Entity04.ref10ID)
  static let many1 = toMany(\Entity34.ref2ID)
  static let schema = Schema<Entity19>("entity19", key: \.id) {
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
