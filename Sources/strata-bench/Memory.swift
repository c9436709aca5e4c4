import Foundation

/// The memory of the process.
enum Memory {
  /// The largest resident size in bytes since the start of the program.
  static var peak: Int {
    #if os(Linux)
      // `getrusage` would count the memory that the parent process had when it started this one.
      let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }

  /// Lets ``peak`` count from here on, where the system can do so, and returns the resident size.
  static func resetPeak() -> Int {
    #if os(Linux)
      try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    #endif
    return peak
  }

  /// The bytes in use in all arenas of the allocator, its own overhead included; nil without glibc.
  static var allocated: Int? {
    #if canImport(Glibc)
      guard let report = mallocInfo() else { return nil }
      // The sums over all arenas come last.
      func last(_ element: String) -> Int? {
        guard let start = report.range(of: element, options: .backwards)?.upperBound,
          let size = report[start...].range(of: "size=\"")?.upperBound
        else { return nil }
        return Int(report[size...].prefix { $0.isNumber })
      }
      guard let system = last("<system type=\"current\""), let fast = last("<total type=\"fast\""),
        let free = last("<total type=\"rest\""), let mapped = last("<total type=\"mmap\"")
      else { return nil }
      return system - fast - free + mapped
    #else
      return nil
    #endif
  }

  #if canImport(Glibc)
    /// Returns the report of `malloc_info`, which it finds by name: the Glibc module has no
    /// `malloc.h`.
    private static func mallocInfo() -> String? {
      typealias Function = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
      guard let symbol = dlsym(nil, "malloc_info") else { return nil }
      let function = unsafeBitCast(symbol, to: Function.self)
      var buffer: UnsafeMutablePointer<CChar>?
      var count = 0
      guard let stream = open_memstream(&buffer, &count) else { return nil }
      let code = function(0, stream)
      fclose(stream)
      defer { free(buffer) }
      guard code == 0, let buffer else { return nil }
      return String(cString: buffer)
    }
  #endif
}
