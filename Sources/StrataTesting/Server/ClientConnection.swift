package import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A client's connection to a port of this machine, which sees an answer byte by byte.
///
/// It is for the tests of this package.
package final class ClientConnection {
  private let descriptor: Int32

  /// Connects to the port.
  ///
  /// - Throws: `POSIXError` if no server listens there.
  package init(port: UInt16) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let descriptor = descriptor
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  /// Sends a request, which must be short.
  package func send(_ bytes: Data) {
    bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
  }

  /// Returns the bytes that arrive until the server closes the connection, or until there are
  /// `limit` bytes or more.
  package func readToEnd(orTo limit: Int = .max) -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while all.count < limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { break }
      all += buffer[..<count]
    }
    return all
  }
}
