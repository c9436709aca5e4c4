import Foundation
import Strata

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A server of HTTP on a free port of this machine that answers every request to a path with the
/// same bytes and closes the connection, or sends them again a hundred times a second until the
/// client does; for what URLSession does only with a network.
final class LoopbackServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let answers: [String: Data]
  private let endless: Set<String>
  private let endings = Lock(0)

  /// How many endless answers the client has put an end to.
  var endedAnswers: Int { endings.withLock(\.self) }

  /// - Parameters:
  ///   - answers: whole responses by path, such as `"/songs": "HTTP/1.1 200 OK\r\n…"`.
  ///   - endless: the paths whose responses are sent again and again.
  init(_ answers: [String: Data], endless: Set<String> = []) throws {
    self.answers = answers
    self.endless = endless
    func check(_ result: some BinaryInteger) throws {
      if result < 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
    #if canImport(Darwin)
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    try check(listener)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { address in
      try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try check(bind(listener, address, size))
        try check(listen(listener, 64))
        try check(getsockname(listener, address, &size))
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    self.listener = listener
    Thread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        answer(connection)
      }
    }.start()
  }

  /// Ends the thread that accepts.
  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func answer(_ connection: Int32) {
    defer { close(connection) }
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !request.suffix(4).elementsEqual([13, 10, 13, 10]) {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return }
      request += buffer[..<count]
    }
    let words = request.split(separator: 32).map { String(decoding: $0, as: UTF8.self) }
    guard words.count > 1, let answer = answers[words[1]] else { return }
    let isEndless = endless.contains(words[1])
    answer.withUnsafeBytes { bytes in
      // A client may have left: an error, not a signal.
      #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      while send(connection, bytes.baseAddress, bytes.count, flags) > 0, isEndless {
        // Without a pause, a client that has no time to refuse it takes gigabytes.
        var end = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        if poll(&end, 1, 10) > 0 { break }
      }
    }
    if isEndless { endings.withLock { $0 += 1 } }
  }
}
