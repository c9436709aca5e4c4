// Made by .ci/large-model.swift
// swift-format-ignore-file
import Foundation
import Strata

struct Entity30: Entity {
  var id = Key<Entity30>()
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
  var ref0ID: Entity06.ID?
  var ref1ID: Entity01.ID?
  var ref2ID: Entity35.ID?
  var ref3ID: Entity39.ID?

  static let ref0 = toOne(\.ref0ID, Entity06.self)
  static let ref1 = toOne(\.ref1ID, Entity01.self)
  static let ref2 = toOne(\.ref2ID, Entity35.self)
  static let ref3 = toOne(\.ref3ID, Entity39.self)
  static let many0 = toMany(\Entity02.ref3ID)
  static let many1 = toMany(\Entity07.ref8ID)
  static let schema = Schema<Entity30>("entity30", key: \.id) {
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

struct Entity31: Entity {
  var id = Key<Entity31>()
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
  var ref0ID: Entity07.ID?
  var ref1ID: Entity02.ID?
  var ref2ID: Entity46.ID?
  var ref3ID: Entity56.ID?

  static let ref0 = toOne(\.ref0ID, Entity07.self)
  static let ref1 = toOne(\.ref1ID, Entity02.self)
  static let ref2 = toOne(\.ref2ID, Entity46.self)
  static let ref3 = toOne(\.ref3ID, Entity56.self)
  static let many0 = toMany(\Entity00.ref6ID)
  static let many1 = toMany(\Entity05.ref11ID)
  static let schema = Schema<Entity31>("entity31", key: \.id) {
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

struct Entity32: Entity {
  var id = Key<Entity32>()
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
  var ref0ID: Entity00.ID?
  var ref1ID: Entity03.ID?
  var ref2ID: Entity57.ID?
  var ref3ID: Entity13.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity57.self)
  static let ref3 = toOne(\.ref3ID, Entity13.self)
  static let many0 = toMany(\Entity03.ref2ID)
  static let many1 = toMany(\Entity19.ref3ID)
  static let schema = Schema<Entity32>("entity32", key: \.id) {
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

struct Entity33: Entity {
  var id = Key<Entity33>()
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
  var ref0ID: Entity01.ID?
  var ref1ID: Entity04.ID?
  var ref2ID: Entity08.ID?
  var ref3ID: Entity30.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity08.self)
  static let ref3 = toOne(\.ref3ID, Entity30.self)
  static let many0 = toMany(\Entity01.ref5ID)
  static let many1 = toMany(\Entity06.ref10ID)
  static let schema = Schema<Entity33>("entity33", key: \.id) {
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

struct Entity34: Entity {
  var id = Key<Entity34>()
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
  var ref2ID: Entity19.ID?
  var ref3ID: Entity47.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity19.self)
  static let ref3 = toOne(\.ref3ID, Entity47.self)
  static let many0 = toMany(\Entity04.ref1ID)
  static let many1 = toMany(\Entity19.ref2ID)
  static let schema = Schema<Entity34>("entity34", key: \.id) {
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

struct Entity35: Entity {
  var id = Key<Entity35>()
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
  var ref2ID: Entity30.ID?
  var ref3ID: Entity04.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity30.self)
  static let ref3 = toOne(\.ref3ID, Entity04.self)
  static let many0 = toMany(\Entity02.ref4ID)
  static let many1 = toMany(\Entity07.ref9ID)
  static let schema = Schema<Entity35>("entity35", key: \.id) {
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

struct Entity36: Entity {
  var id = Key<Entity36>()
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
  var ref2ID: Entity41.ID?
  var ref3ID: Entity21.ID?

  static let ref0 = toOne(\.ref0ID, Entity04.self)
  static let ref1 = toOne(\.ref1ID, Entity07.self)
  static let ref2 = toOne(\.ref2ID, Entity41.self)
  static let ref3 = toOne(\.ref3ID, Entity21.self)
  static let many0 = toMany(\Entity00.ref7ID)
  static let many1 = toMany(\Entity05.ref0ID)
  static let schema = Schema<Entity36>("entity36", key: \.id) {
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

struct Entity37: Entity {
  var id = Key<Entity37>()
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
  var ref2ID: Entity52.ID?
  var ref3ID: Entity38.ID?

  static let ref0 = toOne(\.ref0ID, Entity05.self)
  static let ref1 = toOne(\.ref1ID, Entity00.self)
  static let ref2 = toOne(\.ref2ID, Entity52.self)
  static let ref3 = toOne(\.ref3ID, Entity38.self)
  static let many0 = toMany(\Entity03.ref3ID)
  static let many1 = toMany(\Entity44.ref3ID)
  static let schema = Schema<Entity37>("entity37", key: \.id) {
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

struct Entity38: Entity {
  var id = Key<Entity38>()
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
  var ref2ID: Entity03.ID?
  var ref3ID: Entity55.ID?

  static let ref0 = toOne(\.ref0ID, Entity06.self)
  static let ref1 = toOne(\.ref1ID, Entity01.self)
  static let ref2 = toOne(\.ref2ID, Entity03.self)
  static let ref3 = toOne(\.ref3ID, Entity55.self)
  static let many0 = toMany(\Entity01.ref6ID)
  static let many1 = toMany(\Entity06.ref11ID)
  static let schema = Schema<Entity38>("entity38", key: \.id) {
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

struct Entity39: Entity {
  var id = Key<Entity39>()
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
  var ref2ID: Entity14.ID?
  var ref3ID: Entity12.ID?

  static let ref0 = toOne(\.ref0ID, Entity07.self)
  static let ref1 = toOne(\.ref1ID, Entity02.self)
  static let ref2 = toOne(\.ref2ID, Entity14.self)
  static let ref3 = toOne(\.ref3ID, Entity12.self)
  static let many0 = toMany(\Entity04.ref2ID)
  static let many1 = toMany(\Entity14.ref2ID)
  static let schema = Schema<Entity39>("entity39", key: \.id) {
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
