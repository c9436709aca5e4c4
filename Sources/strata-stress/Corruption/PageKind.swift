/// The purpose of a page of a database file.
///
/// The kinds follow SQLite's description of its file format
/// (https://www.sqlite.org/fileformat2.html).
enum PageKind: String, CaseIterable {
  case header, tableInterior, tableLeaf, indexInterior, indexLeaf, overflow, freeTrunk, freeLeaf

  static let size = 4096

  /// Returns the pages of a complete and undamaged file by kind, numbered from 0.
  static func pages(of bytes: [UInt8]) -> [PageKind: [Int]] {
    var pages: [PageKind: [Int]] = [.header: [0]]
    var free: Set<Int> = [0]
    var trunk = number(bytes, at: 32)
    while trunk > 0 {
      let start = (trunk - 1) * size
      pages[.freeTrunk, default: []].append(trunk - 1)
      let leaves = (0..<number(bytes, at: start + 4)).map {
        number(bytes, at: start + 8 + 4 * $0) - 1
      }
      pages[.freeLeaf, default: []] += leaves
      free.formUnion(leaves + [trunk - 1])
      trunk = number(bytes, at: start)
    }
    for page in 0..<(bytes.count / size) where !free.contains(page) {
      pages[kind(ofPageThatBegins: bytes[page * size]), default: []].append(page)
    }
    return pages
  }

  private static func kind(ofPageThatBegins byte: UInt8) -> PageKind {
    switch byte {
    case 2: .indexInterior
    case 5: .tableInterior
    case 10: .indexLeaf
    case 13: .tableLeaf
    // An overflow page begins with the number of the next page. In a file of less than 32 million
    // pages, the first byte of that number is below 2.
    default: .overflow
    }
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> Int {
    bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
  }
}
