import StrataTestTurns
import Testing

@testable import StrataSQLite

@Suite(.inTurn) struct CaseFoldingTests {
  /// The mappings C of `CaseFolding.txt` of Unicode 14: the first and the last code point, the step
  /// between them unless it is 1, and the distance to the folded code point.
  private static let common = """
    41-5A/1+32 B5+775 C0-D6/1+32 D8-DE/1+32 100-12E/2+1 132-136/2+1 139-147/2+1 14A-176/2+1
    178-121 179-17D/2+1 17F-268 181+210 182-184/2+1 186+206 187+1 189-18A/1+205 18B+1 18E+79
    18F+202 190+203 191+1 193+205 194+207 196+211 197+209 198+1 19C+211 19D+213 19F+214
    1A0-1A4/2+1 1A6+218 1A7+1 1A9+218 1AC+1 1AE+218 1AF+1 1B1-1B2/1+217 1B3-1B5/2+1 1B7+219 1B8+1
    1BC+1 1C4+2 1C5+1 1C7+2 1C8+1 1CA+2 1CB-1DB/2+1 1DE-1EE/2+1 1F1+2 1F2-1F4/2+1 1F6-97 1F7-56
    1F8-21E/2+1 220-130 222-232/2+1 23A+10795 23B+1 23D-163 23E+10792 241+1 243-195 244+69 245+71
    246-24E/2+1 345+116 370-372/2+1 376+1 37F+116 386+38 388-38A/1+37 38C+64 38E-38F/1+63
    391-3A1/1+32 3A3-3AB/1+32 3C2+1 3CF+8 3D0-30 3D1-25 3D5-15 3D6-22 3D8-3EE/2+1 3F0-54 3F1-48
    3F4-60 3F5-64 3F7+1 3F9-7 3FA+1 3FD-3FF/1-130 400-40F/1+80 410-42F/1+32 460-480/2+1
    48A-4BE/2+1 4C0+15 4C1-4CD/2+1 4D0-52E/2+1 531-556/1+48 10A0-10C5/1+7264 10C7+7264 10CD+7264
    13F8-13FD/1-8 1C80-6222 1C81-6221 1C82-6212 1C83-1C84/1-6210 1C85-6211 1C86-6204 1C87-6180
    1C88+35267 1C90-1CBA/1-3008 1CBD-1CBF/1-3008 1E00-1E94/2+1 1E9B-58 1EA0-1EFE/2+1 1F08-1F0F/1-8
    1F18-1F1D/1-8 1F28-1F2F/1-8 1F38-1F3F/1-8 1F48-1F4D/1-8 1F59-1F5F/2-8 1F68-1F6F/1-8
    1FB8-1FB9/1-8 1FBA-1FBB/1-74 1FBE-7173 1FC8-1FCB/1-86 1FD8-1FD9/1-8 1FDA-1FDB/1-100
    1FE8-1FE9/1-8 1FEA-1FEB/1-112 1FEC-7 1FF8-1FF9/1-128 1FFA-1FFB/1-126 2126-7517 212A-8383
    212B-8262 2132+28 2160-216F/1+16 2183+1 24B6-24CF/1+26 2C00-2C2F/1+48 2C60+1 2C62-10743
    2C63-3814 2C64-10727 2C67-2C6B/2+1 2C6D-10780 2C6E-10749 2C6F-10783 2C70-10782 2C72+1 2C75+1
    2C7E-2C7F/1-10815 2C80-2CE2/2+1 2CEB-2CED/2+1 2CF2+1 A640-A66C/2+1 A680-A69A/2+1 A722-A72E/2+1
    A732-A76E/2+1 A779-A77B/2+1 A77D-35332 A77E-A786/2+1 A78B+1 A78D-42280 A790-A792/2+1
    A796-A7A8/2+1 A7AA-42308 A7AB-42319 A7AC-42315 A7AD-42305 A7AE-42308 A7B0-42258 A7B1-42282
    A7B2-42261 A7B3+928 A7B4-A7C2/2+1 A7C4-48 A7C5-42307 A7C6-35384 A7C7-A7C9/2+1 A7D0+1
    A7D6-A7D8/2+1 A7F5+1 AB70-ABBF/1-38864 FF21-FF3A/1+32 10400-10427/1+40 104B0-104D3/1+40
    10570-1057A/1+39 1057C-1058A/1+39 1058C-10592/1+39 10594-10595/1+39 10C80-10CB2/1+64
    118A0-118BF/1+32 16E40-16E5F/1+32 1E900-1E921/1+34
    """
  /// The mappings F of the same file.
  private static let full = """
    DF=73.73 130=69.307 149=2BC.6E 1F0=6A.30C 390=3B9.308.301 3B0=3C5.308.301 587=565.582
    1E96=68.331 1E97=74.308 1E98=77.30A 1E99=79.30A 1E9A=61.2BE 1E9E=73.73 1F50=3C5.313
    1F52=3C5.313.300 1F54=3C5.313.301 1F56=3C5.313.342 1F80=1F00.3B9 1F81=1F01.3B9 1F82=1F02.3B9
    1F83=1F03.3B9 1F84=1F04.3B9 1F85=1F05.3B9 1F86=1F06.3B9 1F87=1F07.3B9 1F88=1F00.3B9
    1F89=1F01.3B9 1F8A=1F02.3B9 1F8B=1F03.3B9 1F8C=1F04.3B9 1F8D=1F05.3B9 1F8E=1F06.3B9
    1F8F=1F07.3B9 1F90=1F20.3B9 1F91=1F21.3B9 1F92=1F22.3B9 1F93=1F23.3B9 1F94=1F24.3B9
    1F95=1F25.3B9 1F96=1F26.3B9 1F97=1F27.3B9 1F98=1F20.3B9 1F99=1F21.3B9 1F9A=1F22.3B9
    1F9B=1F23.3B9 1F9C=1F24.3B9 1F9D=1F25.3B9 1F9E=1F26.3B9 1F9F=1F27.3B9 1FA0=1F60.3B9
    1FA1=1F61.3B9 1FA2=1F62.3B9 1FA3=1F63.3B9 1FA4=1F64.3B9 1FA5=1F65.3B9 1FA6=1F66.3B9
    1FA7=1F67.3B9 1FA8=1F60.3B9 1FA9=1F61.3B9 1FAA=1F62.3B9 1FAB=1F63.3B9 1FAC=1F64.3B9
    1FAD=1F65.3B9 1FAE=1F66.3B9 1FAF=1F67.3B9 1FB2=1F70.3B9 1FB3=3B1.3B9 1FB4=3AC.3B9 1FB6=3B1.342
    1FB7=3B1.342.3B9 1FBC=3B1.3B9 1FC2=1F74.3B9 1FC3=3B7.3B9 1FC4=3AE.3B9 1FC6=3B7.342
    1FC7=3B7.342.3B9 1FCC=3B7.3B9 1FD2=3B9.308.300 1FD3=3B9.308.301 1FD6=3B9.342 1FD7=3B9.308.342
    1FE2=3C5.308.300 1FE3=3C5.308.301 1FE4=3C1.313 1FE6=3C5.342 1FE7=3C5.308.342 1FF2=1F7C.3B9
    1FF3=3C9.3B9 1FF4=3CE.3B9 1FF6=3C9.342 1FF7=3C9.342.3B9 1FFC=3C9.3B9 FB00=66.66 FB01=66.69
    FB02=66.6C FB03=66.66.69 FB04=66.66.6C FB05=73.74 FB06=73.74 FB13=574.576 FB14=574.565
    FB15=574.56B FB16=57E.576 FB17=574.56D
    """

  private static let table: [UInt32: String] = {
    var table: [UInt32: String] = [:]
    for entry in common.split(whereSeparator: \.isWhitespace) {
      guard let match = entry.wholeMatch(of: /([0-9A-F]+)(?:-([0-9A-F]+)\/(\d))?([+-]\d+)/),
        let first = UInt32(match.1, radix: 16), let distance = Int64(match.4)
      else { continue }
      let last = match.2.flatMap { UInt32($0, radix: 16) } ?? first
      for value in stride(from: first, through: last, by: match.3.flatMap { Int($0) } ?? 1) {
        table[value] = Unicode.Scalar(UInt32(Int64(value) + distance)).map { String($0) }
      }
    }
    for entry in full.split(whereSeparator: \.isWhitespace) {
      let sides = entry.split(separator: "=")
      guard let value = UInt32(sides[0], radix: 16) else { continue }
      let scalars = sides[1].split(separator: ".").compactMap {
        UInt32($0, radix: 16).flatMap(Unicode.Scalar.init)
      }
      table[value] = String(String.UnicodeScalarView(scalars))
    }
    return table
  }()

  /// "sık" equalled "sik": the folding led over upper case, where both are "SIK". Unicode pairs "ı"
  /// with "I" for Turkic languages alone.
  @Test func `every scalar is folded as Unicode's default folding has it`() {
    #expect(Self.table.count == 1530)
    var failures: [String] = []
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14
      else { continue }
      let expected = Self.table[value] ?? String(scalar)
      if !CaseFolding.fold(String(scalar)).unicodeScalars.elementsEqual(expected.unicodeScalars) {
        failures.append(String(value, radix: 16))
      }
    }
    #expect(failures.isEmpty)
  }

  @Test func `a text is folded scalar by scalar`() {
    #expect(CaseFolding.fold("STRASSE") == CaseFolding.fold("straße"))
    #expect(CaseFolding.fold("ΟΔΟΣ") == CaseFolding.fold("οδος") && "ΟΔΟς" != "οδος")
    #expect(CaseFolding.fold("SIK") == "sik" && CaseFolding.fold("sık") == "sık")
    #expect(CaseFolding.fold("İ") == "i\u{307}" && CaseFolding.fold("a\0B") == "a\0b")
  }
}
