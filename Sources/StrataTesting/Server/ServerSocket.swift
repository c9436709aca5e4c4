internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A listening socket on a free port of this machine, with a thread for each connection.
final class ServerSocket: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init(_ serve: @escaping @Sendable (ServerConnection) -> Void) throws {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, address, &size) == 0
      }
    }
    guard isListening else {
      let error = POSIXError(.init(rawValue: errno) ?? .EIO)
      close(descriptor)
      throw error
    }
    port = UInt16(bigEndian: address.sin_port)
    self.descriptor = descriptor
    Thread {
      while true {
        let connection = accept(descriptor, nil, nil)
        if connection < 0 {
          if errno == EINTR || errno == ECONNABORTED { continue }
          #if !canImport(Darwin)
            // The descriptor is closed only after the last call, because another socket may get its
            // number.
            close(descriptor)
          #endif
          return
        }
        Thread { serve(ServerConnection(connection)) }.start()
      }
    }.start()
  }

  /// Ends the accepting thread.
  deinit {
    #if canImport(Darwin)
      close(descriptor)
    #else
      shutdown(descriptor, Int32(SHUT_RDWR))
    #endif
  }
}

/// A connection of a client, which is closed when it is released.
final class ServerConnection: Sendable {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    #if canImport(Darwin)
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  deinit { close(descriptor) }

  /// Returns the head and the body of the request; nil if the client leaves within the head.
  func readRequest() -> (head: String, body: Data)? {
    var bytes = Data()
    let end = Data("\r\n\r\n".utf8)
    while true {
      if let range = bytes.range(of: end) {
        let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self)
        var body = Data(bytes[range.upperBound...])
        let length = Self.contentLength(head)
        while body.count < length, let piece = receive() { body += piece }
        return (head, body)
      }
      guard let piece = receive() else { return nil }
      bytes += piece
    }
  }

  private static func contentLength(_ head: String) -> Int {
    for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
      return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
    }
    return 0
  }

  private func receive() -> Data? {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[..<count]) : nil
  }

  /// Sends bytes, and returns false if the client has left.
  @discardableResult
  func send(_ bytes: Data) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      // If the client has left, `send` returns an error and raises no signal.
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        #if canImport(Glibc)
          let count = Glibc.send(descriptor, part.baseAddress, part.count, flags)
        #elseif canImport(Musl)
          let count = Musl.send(descriptor, part.baseAddress, part.count, flags)
        #else
          let count = Foundation.send(descriptor, part.baseAddress, part.count, flags)
        #endif
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Waits for the client, which has nothing more to send, to leave.
  ///
  /// - Returns: whether the client left within the time.
  func waitForEnd(milliseconds: Int32) -> Bool {
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&end, 1, milliseconds) > 0
  }
}
