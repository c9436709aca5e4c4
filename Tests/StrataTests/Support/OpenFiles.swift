import Foundation

#if os(Linux)
  /// The open descriptors and the locks of a store's files, as the system reports them.
  struct OpenFiles: Equatable {
    /// The number of descriptors of this process.
    var descriptors = 0
    /// The number of locks of any process.
    var locks = 0

    static let none = OpenFiles()

    init() {}

    /// Counts the descriptors and the locks of a store's files.
    ///
    /// Deleted files have no locks, and their numbers soon belong to other files.
    init(of path: String) throws {
      let names = ["", "-wal", "-shm"].map { path + $0 }
      descriptors = try Self.paths(in: path).count { names.contains($0) }
      let numbers = Self.numbers(of: path)
      // This reads up to the end of the file. Reading such a file as a whole stops after its first
      // piece.
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/locks"))
      let table = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
      for line in table.split(separator: "\n") {
        // 1: POSIX  ADVISORY  READ 4711 08:01:123456 128 128
        let fields = line.split(separator: " ")
        let number = fields.compactMap { field -> Int? in
          let parts = field.split(separator: ":")
          return parts.count == 3 ? Int(parts[2]) : nil
        }.first
        if let number, numbers.contains(number) { locks += 1 }
      }
    }

    /// Returns the paths that begin with a text, one for each descriptor of this process.
    static func paths(in folder: String) throws -> [String] {
      let files = FileManager.default
      return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
        let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        // The system adds a remark to the name of a removed file.
        let path = target?.split(separator: " ").first.map(String.init)
        return path.flatMap { $0.hasPrefix(folder) ? $0 : nil }
      }
    }

    /// The inode numbers of a store's files.
    private static func numbers(of path: String) -> Set<Int> {
      Set(
        ["", "-wal", "-shm"].compactMap { suffix in
          let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
          return (attributes?[.systemFileNumber] as? NSNumber)?.intValue
        })
    }
  }
#endif
