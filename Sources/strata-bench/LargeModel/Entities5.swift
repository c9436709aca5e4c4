// Made by .ci/large-model.swift
// swift-format-ignore-file
import Foundation
import Strata

struct Entity50: Entity {
  var id = Key<Entity50>()
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
  var ref2ID: Entity15.ID?
  var ref3ID: Entity19.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity15.self)
  static let ref3 = toOne(\.ref3ID, Entity19.self)
  static let many0 = toMany(\Entity02.ref7ID)
  static let many1 = toMany(\Entity07.ref0ID)
  static let schema = Schema<Entity50>("entity50", key: \.id) {
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

struct Entity51: Entity {
  var id = Key<Entity51>()
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
  var ref2ID: Entity26.ID?
  var ref3ID: Entity36.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity26.self)
  static let ref3 = toOne(\.ref3ID, Entity36.self)
  static let many0 = toMany(\Entity00.ref10ID)
  static let many1 = toMany(\Entity05.ref3ID)
  static let schema = Schema<Entity51>("entity51", key: \.id) {
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

struct Entity52: Entity {
  var id = Key<Entity52>()
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
  var ref2ID: Entity37.ID?
  var ref3ID: Entity53.ID?

  static let ref0 = toOne(\.ref0ID, Entity04.self)
  static let ref1 = toOne(\.ref1ID, Entity07.self)
  static let ref2 = toOne(\.ref2ID, Entity37.self)
  static let ref3 = toOne(\.ref3ID, Entity53.self)
  static let many0 = toMany(\Entity03.ref6ID)
  static let many1 = toMany(\Entity37.ref2ID)
  static let schema = Schema<Entity52>("entity52", key: \.id) {
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

struct Entity53: Entity {
  var id = Key<Entity53>()
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
  var ref2ID: Entity48.ID?
  var ref3ID: Entity10.ID?

  static let ref0 = toOne(\.ref0ID, Entity05.self)
  static let ref1 = toOne(\.ref1ID, Entity00.self)
  static let ref2 = toOne(\.ref2ID, Entity48.self)
  static let ref3 = toOne(\.ref3ID, Entity10.self)
  static let many0 = toMany(\Entity01.ref9ID)
  static let many1 = toMany(\Entity06.ref2ID)
  static let schema = Schema<Entity53>("entity53", key: \.id) {
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

struct Entity54: Entity {
  var id = Key<Entity54>()
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
  var ref2ID: Entity59.ID?
  var ref3ID: Entity27.ID?

  static let ref0 = toOne(\.ref0ID, Entity06.self)
  static let ref1 = toOne(\.ref1ID, Entity01.self)
  static let ref2 = toOne(\.ref2ID, Entity59.self)
  static let ref3 = toOne(\.ref3ID, Entity27.self)
  static let many0 = toMany(\Entity04.ref5ID)
  static let many1 = toMany(\Entity45.ref3ID)
  static let schema = Schema<Entity54>("entity54", key: \.id) {
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

struct Entity55: Entity {
  var id = Key<Entity55>()
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
  var ref2ID: Entity10.ID?
  var ref3ID: Entity44.ID?

  static let ref0 = toOne(\.ref0ID, Entity07.self)
  static let ref1 = toOne(\.ref1ID, Entity02.self)
  static let ref2 = toOne(\.ref2ID, Entity10.self)
  static let ref3 = toOne(\.ref3ID, Entity44.self)
  static let many0 = toMany(\Entity02.ref8ID)
  static let many1 = toMany(\Entity07.ref1ID)
  static let schema = Schema<Entity55>("entity55", key: \.id) {
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

struct Entity56: Entity {
  var id = Key<Entity56>()
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
  var ref2ID: Entity21.ID?
  var ref3ID: Entity01.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity21.self)
  static let ref3 = toOne(\.ref3ID, Entity01.self)
  static let many0 = toMany(\Entity00.ref11ID)
  static let many1 = toMany(\Entity05.ref4ID)
  static let schema = Schema<Entity56>("entity56", key: \.id) {
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

struct Entity57: Entity {
  var id = Key<Entity57>()
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
  var ref2ID: Entity32.ID?
  var ref3ID: Entity18.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity32.self)
  static let ref3 = toOne(\.ref3ID, Entity18.self)
  static let many0 = toMany(\Entity03.ref7ID)
  static let many1 = toMany(\Entity24.ref3ID)
  static let schema = Schema<Entity57>("entity57", key: \.id) {
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

struct Entity58: Entity {
  var id = Key<Entity58>()
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
  var ref2ID: Entity43.ID?
  var ref3ID: Entity35.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity43.self)
  static let ref3 = toOne(\.ref3ID, Entity35.self)
  static let many0 = toMany(\Entity01.ref10ID)
  static let many1 = toMany(\Entity06.ref3ID)
  static let schema = Schema<Entity58>("entity58", key: \.id) {
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

struct Entity59: Entity {
  var id = Key<Entity59>()
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
  var ref2ID: Entity54.ID?
  var ref3ID: Entity52.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity54.self)
  static let ref3 = toOne(\.ref3ID, Entity52.self)
  static let many0 = toMany(\Entity04.ref6ID)
  static let many1 = toMany(\Entity10.ref3ID)
  static let schema = Schema<Entity59>("entity59", key: \.id) {
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
