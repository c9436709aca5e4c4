#if Postgres
  import Foundation
  import LocalPostgres

  /// A port of this machine that takes connections and never answers.
  struct SilentHost {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
      #if canImport(Darwin)
        let kind = SOCK_STREAM
      #else
        let kind = Int32(SOCK_STREAM.rawValue)
      #endif
      descriptor = socket(AF_INET, kind, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let descriptor = descriptor
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
            && getsockname(descriptor, address, &length) == 0
        }
      }
      guard isBound else { throw PostgresCluster.Failure(description: "no free port") }
      port = UInt16(bigEndian: address.sin_port)
    }

    func close() { Foundation.close(descriptor) }
  }
#endif
