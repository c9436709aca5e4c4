// Made by .ci/large-model.swift
// swift-format-ignore-file
import Foundation
import Strata

struct Entity40: Entity {
  var id = Key<Entity40>()
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
  var ref2ID: Entity25.ID?
  var ref3ID: Entity29.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity25.self)
  static let ref3 = toOne(\.ref3ID, Entity29.self)
  static let many0 = toMany(\Entity02.ref5ID)
  static let many1 = toMany(\Entity07.ref10ID)
  static let schema = Schema<Entity40>("entity40", key: \.id) {
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

struct Entity41: Entity {
  var id = Key<Entity41>()
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
  var ref2ID: Entity36.ID?
  var ref3ID: Entity46.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity36.self)
  static let ref3 = toOne(\.ref3ID, Entity46.self)
  static let many0 = toMany(\Entity00.ref8ID)
  static let many1 = toMany(\Entity05.ref1ID)
  static let schema = Schema<Entity41>("entity41", key: \.id) {
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

struct Entity42: Entity {
  var id = Key<Entity42>()
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
  var ref2ID: Entity47.ID?
  var ref3ID: Entity03.ID?

  static let ref0 = toOne(\.ref0ID, Entity02.self)
  static let ref1 = toOne(\.ref1ID, Entity05.self)
  static let ref2 = toOne(\.ref2ID, Entity47.self)
  static let ref3 = toOne(\.ref3ID, Entity03.self)
  static let many0 = toMany(\Entity03.ref4ID)
  static let many1 = toMany(\Entity09.ref3ID)
  static let schema = Schema<Entity42>("entity42", key: \.id) {
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

struct Entity43: Entity {
  var id = Key<Entity43>()
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
  var ref2ID: Entity58.ID?
  var ref3ID: Entity20.ID?

  static let ref0 = toOne(\.ref0ID, Entity03.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity58.self)
  static let ref3 = toOne(\.ref3ID, Entity20.self)
  static let many0 = toMany(\Entity01.ref7ID)
  static let many1 = toMany(\Entity06.ref0ID)
  static let schema = Schema<Entity43>("entity43", key: \.id) {
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

struct Entity44: Entity {
  var id = Key<Entity44>()
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
  var ref2ID: Entity09.ID?
  var ref3ID: Entity37.ID?

  static let ref0 = toOne(\.ref0ID, Entity04.self)
  static let ref1 = toOne(\.ref1ID, Entity07.self)
  static let ref2 = toOne(\.ref2ID, Entity09.self)
  static let ref3 = toOne(\.ref3ID, Entity37.self)
  static let many0 = toMany(\Entity04.ref3ID)
  static let many1 = toMany(\Entity09.ref2ID)
  static let schema = Schema<Entity44>("entity44", key: \.id) {
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

struct Entity45: Entity {
  var id = Key<Entity45>()
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
  var ref2ID: Entity20.ID?
  var ref3ID: Entity54.ID?

  static let ref0 = toOne(\.ref0ID, Entity05.self)
  static let ref1 = toOne(\.ref1ID, Entity00.self)
  static let ref2 = toOne(\.ref2ID, Entity20.self)
  static let ref3 = toOne(\.ref3ID, Entity54.self)
  static let many0 = toMany(\Entity02.ref6ID)
  static let many1 = toMany(\Entity07.ref11ID)
  static let schema = Schema<Entity45>("entity45", key: \.id) {
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

struct Entity46: Entity {
  var id = Key<Entity46>()
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
  var ref2ID: Entity31.ID?
  var ref3ID: Entity11.ID?

  static let ref0 = toOne(\.ref0ID, Entity06.self)
  static let ref1 = toOne(\.ref1ID, Entity01.self)
  static let ref2 = toOne(\.ref2ID, Entity31.self)
  static let ref3 = toOne(\.ref3ID, Entity11.self)
  static let many0 = toMany(\Entity00.ref9ID)
  static let many1 = toMany(\Entity05.ref2ID)
  static let schema = Schema<Entity46>("entity46", key: \.id) {
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

struct Entity47: Entity {
  var id = Key<Entity47>()
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
  var ref2ID: Entity42.ID?
  var ref3ID: Entity28.ID?

  static let ref0 = toOne(\.ref0ID, Entity07.self)
  static let ref1 = toOne(\.ref1ID, Entity02.self)
  static let ref2 = toOne(\.ref2ID, Entity42.self)
  static let ref3 = toOne(\.ref3ID, Entity28.self)
  static let many0 = toMany(\Entity03.ref5ID)
  static let many1 = toMany(\Entity34.ref3ID)
  static let schema = Schema<Entity47>("entity47", key: \.id) {
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

struct Entity48: Entity {
  var id = Key<Entity48>()
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
  var ref2ID: Entity53.ID?
  var ref3ID: Entity45.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity53.self)
  static let ref3 = toOne(\.ref3ID, Entity45.self)
  static let many0 = toMany(\Entity01.ref8ID)
  static let many1 = toMany(\Entity06.ref1ID)
  static let schema = Schema<Entity48>("entity48", key: \.id) {
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

struct Entity49: Entity {
  var id = Key<Entity49>()
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
  var ref2ID: Entity04.ID?
  var ref3ID: Entity02.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity04.self)
  static let ref3 = toOne(\.ref3ID, Entity02.self)
  static let many0 = toMany(\Entity04.ref4ID)
  static let many1 = toMany(\Entity20.ref3ID)
  static let schema = Schema<Entity49>("entity49", key: \.id) {
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
