// Made by .ci/large-model.swift
// swift-format-ignore-file
import Foundation
import Strata

struct Entity00: Entity {
  var id = Key<Entity00>()
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
  var a12: String = ""
  var a13: Double?
  var a14: Double = 0.0
  var a15: LargeModel.State = .new
  var a16: Bool = false
  var a17: UUID?
  var a18: Int?
  var a19: Int = 0
  var a20: Date?
  var a21: String?
  var a22: Data?
  var a23: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a24: String = ""
  var a25: Double?
  var a26: Double = 0.0
  var a27: LargeModel.State = .new
  var a28: Bool = false
  var a29: UUID?
  var a30: Int?
  var a31: Int = 0
  var a32: Date?
  var a33: String?
  var a34: Data?
  var a35: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a36: String = ""
  var a37: Double?
  var a38: Double = 0.0
  var a39: LargeModel.State = .new
  var a40: Bool = false
  var a41: UUID?
  var a42: Int?
  var a43: Int = 0
  var a44: Date?
  var a45: String?
  var a46: Data?
  var a47: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a48: String = ""
  var a49: Double?
  var a50: Double = 0.0
  var a51: LargeModel.State = .new
  var a52: Bool = false
  var a53: UUID?
  var a54: Int?
  var a55: Int = 0
  var a56: Date?
  var a57: String?
  var a58: Data?
  var a59: Date = Date(timeIntervalSinceReferenceDate: 0)
  var ref0ID: Entity01.ID?
  var ref1ID: Entity06.ID?
  var ref2ID: Entity11.ID?
  var ref3ID: Entity16.ID?
  var ref4ID: Entity21.ID?
  var ref5ID: Entity26.ID?
  var ref6ID: Entity31.ID?
  var ref7ID: Entity36.ID?
  var ref8ID: Entity41.ID?
  var ref9ID: Entity46.ID?
  var ref10ID: Entity51.ID?
  var ref11ID: Entity56.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity06.self)
  static let ref2 = toOne(\.ref2ID, Entity11.self)
  static let ref3 = toOne(\.ref3ID, Entity16.self)
  static let ref4 = toOne(\.ref4ID, Entity21.self)
  static let ref5 = toOne(\.ref5ID, Entity26.self)
  static let ref6 = toOne(\.ref6ID, Entity31.self)
  static let ref7 = toOne(\.ref7ID, Entity36.self)
  static let ref8 = toOne(\.ref8ID, Entity41.self)
  static let ref9 = toOne(\.ref9ID, Entity46.self)
  static let ref10 = toOne(\.ref10ID, Entity51.self)
  static let ref11 = toOne(\.ref11ID, Entity56.self)
  static let many0 = toMany(\Entity02.ref9ID)
  static let many1 = toMany(\Entity07.ref2ID)
  static let many2 = toMany(\Entity08.ref0ID)
  static let many3 = toMany(\Entity13.ref1ID)
  static let many4 = toMany(\Entity16.ref0ID)
  static let many5 = toMany(\Entity21.ref1ID)
  static let many6 = toMany(\Entity24.ref0ID)
  static let many7 = toMany(\Entity29.ref1ID)
  static let schema = Schema<Entity00>("entity0", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity01: Entity {
  var id = Key<Entity01>()
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
  var a12: Int = 0
  var a13: Date?
  var a14: String?
  var a15: Data?
  var a16: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a17: String = ""
  var a18: Double?
  var a19: Double = 0.0
  var a20: LargeModel.State = .new
  var a21: Bool = false
  var a22: UUID?
  var a23: Int?
  var a24: Int = 0
  var a25: Date?
  var a26: String?
  var a27: Data?
  var a28: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a29: String = ""
  var a30: Double?
  var a31: Double = 0.0
  var a32: LargeModel.State = .new
  var a33: Bool = false
  var a34: UUID?
  var a35: Int?
  var a36: Int = 0
  var a37: Date?
  var a38: String?
  var a39: Data?
  var a40: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a41: String = ""
  var a42: Double?
  var a43: Double = 0.0
  var a44: LargeModel.State = .new
  var a45: Bool = false
  var a46: UUID?
  var a47: Int?
  var a48: Int = 0
  var a49: Date?
  var a50: String?
  var a51: Data?
  var a52: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a53: String = ""
  var a54: Double?
  var a55: Double = 0.0
  var a56: LargeModel.State = .new
  var a57: Bool = false
  var a58: UUID?
  var a59: Int?
  var ref0ID: Entity08.ID?
  var ref1ID: Entity13.ID?
  var ref2ID: Entity18.ID?
  var ref3ID: Entity23.ID?
  var ref4ID: Entity28.ID?
  var ref5ID: Entity33.ID?
  var ref6ID: Entity38.ID?
  var ref7ID: Entity43.ID?
  var ref8ID: Entity48.ID?
  var ref9ID: Entity53.ID?
  var ref10ID: Entity58.ID?
  var ref11ID: Entity03.ID?

  static let ref0 = toOne(\.ref0ID, Entity08.self)
  static let ref1 = toOne(\.ref1ID, Entity13.self)
  static let ref2 = toOne(\.ref2ID, Entity18.self)
  static let ref3 = toOne(\.ref3ID, Entity23.self)
  static let ref4 = toOne(\.ref4ID, Entity28.self)
  static let ref5 = toOne(\.ref5ID, Entity33.self)
  static let ref6 = toOne(\.ref6ID, Entity38.self)
  static let ref7 = toOne(\.ref7ID, Entity43.self)
  static let ref8 = toOne(\.ref8ID, Entity48.self)
  static let ref9 = toOne(\.ref9ID, Entity53.self)
  static let ref10 = toOne(\.ref10ID, Entity58.self)
  static let ref11 = toOne(\.ref11ID, Entity03.self)
  static let many0 = toMany(\Entity00.ref0ID)
  static let many1 = toMany(\Entity05.ref5ID)
  static let many2 = toMany(\Entity09.ref0ID)
  static let many3 = toMany(\Entity14.ref1ID)
  static let many4 = toMany(\Entity16.ref2ID)
  static let many5 = toMany(\Entity17.ref0ID)
  static let many6 = toMany(\Entity22.ref1ID)
  static let many7 = toMany(\Entity25.ref0ID)
  static let schema = Schema<Entity01>("entity1", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity02: Entity {
  var id = Key<Entity02>()
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
  var a12: Double = 0.0
  var a13: LargeModel.State = .new
  var a14: Bool = false
  var a15: UUID?
  var a16: Int?
  var a17: Int = 0
  var a18: Date?
  var a19: String?
  var a20: Data?
  var a21: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a22: String = ""
  var a23: Double?
  var a24: Double = 0.0
  var a25: LargeModel.State = .new
  var a26: Bool = false
  var a27: UUID?
  var a28: Int?
  var a29: Int = 0
  var a30: Date?
  var a31: String?
  var a32: Data?
  var a33: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a34: String = ""
  var a35: Double?
  var a36: Double = 0.0
  var a37: LargeModel.State = .new
  var a38: Bool = false
  var a39: UUID?
  var a40: Int?
  var a41: Int = 0
  var a42: Date?
  var a43: String?
  var a44: Data?
  var a45: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a46: String = ""
  var a47: Double?
  var a48: Double = 0.0
  var a49: LargeModel.State = .new
  var a50: Bool = false
  var a51: UUID?
  var a52: Int?
  var a53: Int = 0
  var a54: Date?
  var a55: String?
  var a56: Data?
  var a57: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a58: String = ""
  var a59: Double?
  var ref0ID: Entity15.ID?
  var ref1ID: Entity20.ID?
  var ref2ID: Entity25.ID?
  var ref3ID: Entity30.ID?
  var ref4ID: Entity35.ID?
  var ref5ID: Entity40.ID?
  var ref6ID: Entity45.ID?
  var ref7ID: Entity50.ID?
  var ref8ID: Entity55.ID?
  var ref9ID: Entity00.ID?
  var ref10ID: Entity05.ID?
  var ref11ID: Entity10.ID?

  static let ref0 = toOne(\.ref0ID, Entity15.self)
  static let ref1 = toOne(\.ref1ID, Entity20.self)
  static let ref2 = toOne(\.ref2ID, Entity25.self)
  static let ref3 = toOne(\.ref3ID, Entity30.self)
  static let ref4 = toOne(\.ref4ID, Entity35.self)
  static let ref5 = toOne(\.ref5ID, Entity40.self)
  static let ref6 = toOne(\.ref6ID, Entity45.self)
  static let ref7 = toOne(\.ref7ID, Entity50.self)
  static let ref8 = toOne(\.ref8ID, Entity55.self)
  static let ref9 = toOne(\.ref9ID, Entity00.self)
  static let ref10 = toOne(\.ref10ID, Entity05.self)
  static let ref11 = toOne(\.ref11ID, Entity10.self)
  static let many0 = toMany(\Entity03.ref8ID)
  static let many1 = toMany(\Entity10.ref0ID)
  static let many2 = toMany(\Entity15.ref1ID)
  static let many3 = toMany(\Entity18.ref0ID)
  static let many4 = toMany(\Entity23.ref1ID)
  static let many5 = toMany(\Entity26.ref0ID)
  static let many6 = toMany(\Entity27.ref2ID)
  static let many7 = toMany(\Entity31.ref1ID)
  static let schema = Schema<Entity02>("entity2", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity03: Entity {
  var id = Key<Entity03>()
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
  var a12: String?
  var a13: Data?
  var a14: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a15: String = ""
  var a16: Double?
  var a17: Double = 0.0
  var a18: LargeModel.State = .new
  var a19: Bool = false
  var a20: UUID?
  var a21: Int?
  var a22: Int = 0
  var a23: Date?
  var a24: String?
  var a25: Data?
  var a26: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a27: String = ""
  var a28: Double?
  var a29: Double = 0.0
  var a30: LargeModel.State = .new
  var a31: Bool = false
  var a32: UUID?
  var a33: Int?
  var a34: Int = 0
  var a35: Date?
  var a36: String?
  var a37: Data?
  var a38: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a39: String = ""
  var a40: Double?
  var a41: Double = 0.0
  var a42: LargeModel.State = .new
  var a43: Bool = false
  var a44: UUID?
  var a45: Int?
  var a46: Int = 0
  var a47: Date?
  var a48: String?
  var a49: Data?
  var a50: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a51: String = ""
  var a52: Double?
  var a53: Double = 0.0
  var a54: LargeModel.State = .new
  var a55: Bool = false
  var a56: UUID?
  var a57: Int?
  var a58: Int = 0
  var a59: Date?
  var ref0ID: Entity22.ID?
  var ref1ID: Entity27.ID?
  var ref2ID: Entity32.ID?
  var ref3ID: Entity37.ID?
  var ref4ID: Entity42.ID?
  var ref5ID: Entity47.ID?
  var ref6ID: Entity52.ID?
  var ref7ID: Entity57.ID?
  var ref8ID: Entity02.ID?
  var ref9ID: Entity07.ID?
  var ref10ID: Entity12.ID?
  var ref11ID: Entity17.ID?

  static let ref0 = toOne(\.ref0ID, Entity22.self)
  static let ref1 = toOne(\.ref1ID, Entity27.self)
  static let ref2 = toOne(\.ref2ID, Entity32.self)
  static let ref3 = toOne(\.ref3ID, Entity37.self)
  static let ref4 = toOne(\.ref4ID, Entity42.self)
  static let ref5 = toOne(\.ref5ID, Entity47.self)
  static let ref6 = toOne(\.ref6ID, Entity52.self)
  static let ref7 = toOne(\.ref7ID, Entity57.self)
  static let ref8 = toOne(\.ref8ID, Entity02.self)
  static let ref9 = toOne(\.ref9ID, Entity07.self)
  static let ref10 = toOne(\.ref10ID, Entity12.self)
  static let ref11 = toOne(\.ref11ID, Entity17.self)
  static let many0 = toMany(\Entity01.ref11ID)
  static let many1 = toMany(\Entity06.ref4ID)
  static let many2 = toMany(\Entity08.ref1ID)
  static let many3 = toMany(\Entity11.ref0ID)
  static let many4 = toMany(\Entity16.ref1ID)
  static let many5 = toMany(\Entity19.ref0ID)
  static let many6 = toMany(\Entity24.ref1ID)
  static let many7 = toMany(\Entity27.ref0ID)
  static let schema = Schema<Entity03>("entity3", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity04: Entity {
  var id = Key<Entity04>()
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
  var a12: Bool = false
  var a13: UUID?
  var a14: Int?
  var a15: Int = 0
  var a16: Date?
  var a17: String?
  var a18: Data?
  var a19: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a20: String = ""
  var a21: Double?
  var a22: Double = 0.0
  var a23: LargeModel.State = .new
  var a24: Bool = false
  var a25: UUID?
  var a26: Int?
  var a27: Int = 0
  var a28: Date?
  var a29: String?
  var a30: Data?
  var a31: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a32: String = ""
  var a33: Double?
  var a34: Double = 0.0
  var a35: LargeModel.State = .new
  var a36: Bool = false
  var a37: UUID?
  var a38: Int?
  var a39: Int = 0
  var a40: Date?
  var a41: String?
  var a42: Data?
  var a43: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a44: String = ""
  var a45: Double?
  var a46: Double = 0.0
  var a47: LargeModel.State = .new
  var a48: Bool = false
  var a49: UUID?
  var a50: Int?
  var a51: Int = 0
  var a52: Date?
  var a53: String?
  var a54: Data?
  var a55: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a56: String = ""
  var a57: Double?
  var a58: Double = 0.0
  var a59: LargeModel.State = .new
  var ref0ID: Entity29.ID?
  var ref1ID: Entity34.ID?
  var ref2ID: Entity39.ID?
  var ref3ID: Entity44.ID?
  var ref4ID: Entity49.ID?
  var ref5ID: Entity54.ID?
  var ref6ID: Entity59.ID?
  var ref7ID: Entity04.ID?
  var ref8ID: Entity09.ID?
  var ref9ID: Entity14.ID?
  var ref10ID: Entity19.ID?
  var ref11ID: Entity24.ID?

  static let ref0 = toOne(\.ref0ID, Entity29.self)
  static let ref1 = toOne(\.ref1ID, Entity34.self)
  static let ref2 = toOne(\.ref2ID, Entity39.self)
  static let ref3 = toOne(\.ref3ID, Entity44.self)
  static let ref4 = toOne(\.ref4ID, Entity49.self)
  static let ref5 = toOne(\.ref5ID, Entity54.self)
  static let ref6 = toOne(\.ref6ID, Entity59.self)
  static let ref7 = toOne(\.ref7ID, Entity04.self)
  static let ref8 = toOne(\.ref8ID, Entity09.self)
  static let ref9 = toOne(\.ref9ID, Entity14.self)
  static let ref10 = toOne(\.ref10ID, Entity19.self)
  static let ref11 = toOne(\.ref11ID, Entity24.self)
  static let many0 = toMany(\Entity04.ref7ID)
  static let many1 = toMany(\Entity09.ref1ID)
  static let many2 = toMany(\Entity12.ref0ID)
  static let many3 = toMany(\Entity17.ref1ID)
  static let many4 = toMany(\Entity20.ref0ID)
  static let many5 = toMany(\Entity25.ref1ID)
  static let many6 = toMany(\Entity28.ref0ID)
  static let many7 = toMany(\Entity33.ref1ID)
  static let schema = Schema<Entity04>("entity4", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity05: Entity {
  var id = Key<Entity05>()
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
  var a12: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a13: String = ""
  var a14: Double?
  var a15: Double = 0.0
  var a16: LargeModel.State = .new
  var a17: Bool = false
  var a18: UUID?
  var a19: Int?
  var a20: Int = 0
  var a21: Date?
  var a22: String?
  var a23: Data?
  var a24: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a25: String = ""
  var a26: Double?
  var a27: Double = 0.0
  var a28: LargeModel.State = .new
  var a29: Bool = false
  var a30: UUID?
  var a31: Int?
  var a32: Int = 0
  var a33: Date?
  var a34: String?
  var a35: Data?
  var a36: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a37: String = ""
  var a38: Double?
  var a39: Double = 0.0
  var a40: LargeModel.State = .new
  var a41: Bool = false
  var a42: UUID?
  var a43: Int?
  var a44: Int = 0
  var a45: Date?
  var a46: String?
  var a47: Data?
  var a48: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a49: String = ""
  var a50: Double?
  var a51: Double = 0.0
  var a52: LargeModel.State = .new
  var a53: Bool = false
  var a54: UUID?
  var a55: Int?
  var a56: Int = 0
  var a57: Date?
  var a58: String?
  var a59: Data?
  var ref0ID: Entity36.ID?
  var ref1ID: Entity41.ID?
  var ref2ID: Entity46.ID?
  var ref3ID: Entity51.ID?
  var ref4ID: Entity56.ID?
  var ref5ID: Entity01.ID?
  var ref6ID: Entity06.ID?
  var ref7ID: Entity11.ID?
  var ref8ID: Entity16.ID?
  var ref9ID: Entity21.ID?
  var ref10ID: Entity26.ID?
  var ref11ID: Entity31.ID?

  static let ref0 = toOne(\.ref0ID, Entity36.self)
  static let ref1 = toOne(\.ref1ID, Entity41.self)
  static let ref2 = toOne(\.ref2ID, Entity46.self)
  static let ref3 = toOne(\.ref3ID, Entity51.self)
  static let ref4 = toOne(\.ref4ID, Entity56.self)
  static let ref5 = toOne(\.ref5ID, Entity01.self)
  static let ref6 = toOne(\.ref6ID, Entity06.self)
  static let ref7 = toOne(\.ref7ID, Entity11.self)
  static let ref8 = toOne(\.ref8ID, Entity16.self)
  static let ref9 = toOne(\.ref9ID, Entity21.self)
  static let ref10 = toOne(\.ref10ID, Entity26.self)
  static let ref11 = toOne(\.ref11ID, Entity31.self)
  static let many0 = toMany(\Entity02.ref10ID)
  static let many1 = toMany(\Entity07.ref3ID)
  static let many2 = toMany(\Entity10.ref1ID)
  static let many3 = toMany(\Entity13.ref0ID)
  static let many4 = toMany(\Entity18.ref1ID)
  static let many5 = toMany(\Entity21.ref0ID)
  static let many6 = toMany(\Entity26.ref1ID)
  static let many7 = toMany(\Entity28.ref3ID)
  static let schema = Schema<Entity05>("entity5", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity06: Entity {
  var id = Key<Entity06>()
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
  var a12: Int?
  var a13: Int = 0
  var a14: Date?
  var a15: String?
  var a16: Data?
  var a17: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a18: String = ""
  var a19: Double?
  var a20: Double = 0.0
  var a21: LargeModel.State = .new
  var a22: Bool = false
  var a23: UUID?
  var a24: Int?
  var a25: Int = 0
  var a26: Date?
  var a27: String?
  var a28: Data?
  var a29: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a30: String = ""
  var a31: Double?
  var a32: Double = 0.0
  var a33: LargeModel.State = .new
  var a34: Bool = false
  var a35: UUID?
  var a36: Int?
  var a37: Int = 0
  var a38: Date?
  var a39: String?
  var a40: Data?
  var a41: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a42: String = ""
  var a43: Double?
  var a44: Double = 0.0
  var a45: LargeModel.State = .new
  var a46: Bool = false
  var a47: UUID?
  var a48: Int?
  var a49: Int = 0
  var a50: Date?
  var a51: String?
  var a52: Data?
  var a53: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a54: String = ""
  var a55: Double?
  var a56: Double = 0.0
  var a57: LargeModel.State = .new
  var a58: Bool = false
  var a59: UUID?
  var ref0ID: Entity43.ID?
  var ref1ID: Entity48.ID?
  var ref2ID: Entity53.ID?
  var ref3ID: Entity58.ID?
  var ref4ID: Entity03.ID?
  var ref5ID: Entity08.ID?
  var ref6ID: Entity13.ID?
  var ref7ID: Entity18.ID?
  var ref8ID: Entity23.ID?
  var ref9ID: Entity28.ID?
  var ref10ID: Entity33.ID?
  var ref11ID: Entity38.ID?

  static let ref0 = toOne(\.ref0ID, Entity43.self)
  static let ref1 = toOne(\.ref1ID, Entity48.self)
  static let ref2 = toOne(\.ref2ID, Entity53.self)
  static let ref3 = toOne(\.ref3ID, Entity58.self)
  static let ref4 = toOne(\.ref4ID, Entity03.self)
  static let ref5 = toOne(\.ref5ID, Entity08.self)
  static let ref6 = toOne(\.ref6ID, Entity13.self)
  static let ref7 = toOne(\.ref7ID, Entity18.self)
  static let ref8 = toOne(\.ref8ID, Entity23.self)
  static let ref9 = toOne(\.ref9ID, Entity28.self)
  static let ref10 = toOne(\.ref10ID, Entity33.self)
  static let ref11 = toOne(\.ref11ID, Entity38.self)
  static let many0 = toMany(\Entity00.ref1ID)
  static let many1 = toMany(\Entity05.ref6ID)
  static let many2 = toMany(\Entity11.ref1ID)
  static let many3 = toMany(\Entity11.ref2ID)
  static let many4 = toMany(\Entity14.ref0ID)
  static let many5 = toMany(\Entity19.ref1ID)
  static let many6 = toMany(\Entity21.ref3ID)
  static let many7 = toMany(\Entity22.ref0ID)
  static let schema = Schema<Entity06>("entity6", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity07: Entity {
  var id = Key<Entity07>()
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
  var a12: Double?
  var a13: Double = 0.0
  var a14: LargeModel.State = .new
  var a15: Bool = false
  var a16: UUID?
  var a17: Int?
  var a18: Int = 0
  var a19: Date?
  var a20: String?
  var a21: Data?
  var a22: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a23: String = ""
  var a24: Double?
  var a25: Double = 0.0
  var a26: LargeModel.State = .new
  var a27: Bool = false
  var a28: UUID?
  var a29: Int?
  var a30: Int = 0
  var a31: Date?
  var a32: String?
  var a33: Data?
  var a34: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a35: String = ""
  var a36: Double?
  var a37: Double = 0.0
  var a38: LargeModel.State = .new
  var a39: Bool = false
  var a40: UUID?
  var a41: Int?
  var a42: Int = 0
  var a43: Date?
  var a44: String?
  var a45: Data?
  var a46: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a47: String = ""
  var a48: Double?
  var a49: Double = 0.0
  var a50: LargeModel.State = .new
  var a51: Bool = false
  var a52: UUID?
  var a53: Int?
  var a54: Int = 0
  var a55: Date?
  var a56: String?
  var a57: Data?
  var a58: Date = Date(timeIntervalSinceReferenceDate: 0)
  var a59: String = ""
  var ref0ID: Entity50.ID?
  var ref1ID: Entity55.ID?
  var ref2ID: Entity00.ID?
  var ref3ID: Entity05.ID?
  var ref4ID: Entity10.ID?
  var ref5ID: Entity15.ID?
  var ref6ID: Entity20.ID?
  var ref7ID: Entity25.ID?
  var ref8ID: Entity30.ID?
  var ref9ID: Entity35.ID?
  var ref10ID: Entity40.ID?
  var ref11ID: Entity45.ID?

  static let ref0 = toOne(\.ref0ID, Entity50.self)
  static let ref1 = toOne(\.ref1ID, Entity55.self)
  static let ref2 = toOne(\.ref2ID, Entity00.self)
  static let ref3 = toOne(\.ref3ID, Entity05.self)
  static let ref4 = toOne(\.ref4ID, Entity10.self)
  static let ref5 = toOne(\.ref5ID, Entity15.self)
  static let ref6 = toOne(\.ref6ID, Entity20.self)
  static let ref7 = toOne(\.ref7ID, Entity25.self)
  static let ref8 = toOne(\.ref8ID, Entity30.self)
  static let ref9 = toOne(\.ref9ID, Entity35.self)
  static let ref10 = toOne(\.ref10ID, Entity40.self)
  static let ref11 = toOne(\.ref11ID, Entity45.self)
  static let many0 = toMany(\Entity03.ref9ID)
  static let many1 = toMany(\Entity12.ref1ID)
  static let many2 = toMany(\Entity14.ref3ID)
  static let many3 = toMany(\Entity15.ref0ID)
  static let many4 = toMany(\Entity20.ref1ID)
  static let many5 = toMany(\Entity22.ref2ID)
  static let many6 = toMany(\Entity23.ref0ID)
  static let many7 = toMany(\Entity28.ref1ID)
  static let schema = Schema<Entity07>("entity7", key: \.id) {
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
    Attribute(\.a12)
    Attribute(\.a13)
    Attribute(\.a14)
    Attribute(\.a15)
    Attribute(\.a16)
    Attribute(\.a17)
    Attribute(\.a18)
    Attribute(\.a19)
    Attribute(\.a20).indexed()
    Attribute(\.a21)
    Attribute(\.a22)
    Attribute(\.a23)
    Attribute(\.a24)
    Attribute(\.a25)
    Attribute(\.a26)
    Attribute(\.a27)
    Attribute(\.a28)
    Attribute(\.a29)
    Attribute(\.a30)
    Attribute(\.a31)
    Attribute(\.a32)
    Attribute(\.a33)
    Attribute(\.a34)
    Attribute(\.a35)
    Attribute(\.a36)
    Attribute(\.a37)
    Attribute(\.a38)
    Attribute(\.a39)
    Attribute(\.a40).indexed()
    Attribute(\.a41)
    Attribute(\.a42)
    Attribute(\.a43)
    Attribute(\.a44)
    Attribute(\.a45)
    Attribute(\.a46)
    Attribute(\.a47)
    Attribute(\.a48)
    Attribute(\.a49)
    Attribute(\.a50)
    Attribute(\.a51)
    Attribute(\.a52)
    Attribute(\.a53)
    Attribute(\.a54)
    Attribute(\.a55)
    Attribute(\.a56)
    Attribute(\.a57)
    Attribute(\.a58)
    Attribute(\.a59)
    ref0
    ref1
    ref2
    ref3
    ref4
    ref5
    ref6
    ref7
    ref8
    ref9
    ref10
    ref11
    many0
    many1
    many2
    many3
    many4
    many5
    many6
    many7
  }
}

struct Entity08: Entity {
  var id = Key<Entity08>()
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
  var ref2ID: Entity33.ID?
  var ref3ID: Entity25.ID?

  static let ref0 = toOne(\.ref0ID, Entity00.self)
  static let ref1 = toOne(\.ref1ID, Entity03.self)
  static let ref2 = toOne(\.ref2ID, Entity33.self)
  static let ref3 = toOne(\.ref3ID, Entity25.self)
  static let many0 = toMany(\Entity01.ref0ID)
  static let many1 = toMany(\Entity06.ref5ID)
  static let schema = Schema<Entity08>("entity8", key: \.id) {
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

struct Entity09: Entity {
  var id = Key<Entity09>()
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
  var ref2ID: Entity44.ID?
  var ref3ID: Entity42.ID?

  static let ref0 = toOne(\.ref0ID, Entity01.self)
  static let ref1 = toOne(\.ref1ID, Entity04.self)
  static let ref2 = toOne(\.ref2ID, Entity44.self)
  static let ref3 = toOne(\.ref3ID, Entity42.self)
  static let many0 = toMany(\Entity04.ref8ID)
  static let many1 = toMany(\Entity44.ref2ID)
  static let schema = Schema<Entity09>("entity9", key: \.id) {
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
