import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The app's side of the server: it sends the requests of an outbox.
struct NewsClient: Sendable {
  /// The server may have done a request, and its answer has not come.
  struct LostAnswer: LocalizedError {
    let errorDescription: String? = "the server's answer is lost"
  }

  let url: URL
  let stack: Stack

  /// Sends a request, and stores the server's row that comes with the answer.
  ///
  /// - Throws: `URLError` or ``LostAnswer`` if no answer has come.
  func send(_ request: PushRequest) async throws -> PushVerdict {
    guard let id = request.id(of: Article.self) else { return .refused("no article: \(request)") }
    let body = try request.json(Article.json)
    // The mark is the user's own, and the server has no place for it.
    if body == nil && request.kind == .update { return .done }
    let (answer, response) = try await URLSession.shared.data(
      for: urlRequest(request, id: id, body: body))
    guard let response = response as? HTTPURLResponse else { throw LostAnswer() }
    if [200, 201, 412].contains(response.statusCode) {
      try await stack.importJSON(
        Article.self, from: .data(answer), as: .lines, mapping: Article.json)
    }
    switch (request.kind, response.statusCode) {
    case (.insert, 201):
      let id = try JSONDecoder().decode(Newsroom.Item.self, from: answer).id
      return try request.done(as: Article.self, id: id)
    case (_, 200..<300), (.delete, 404), (.delete, 410): return .done
    case (_, 412): return .later
    case (_, 429):
      let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
      return .later(after: seconds.map { .seconds($0) })
    case (_, 400..<500): return .refused(String(decoding: answer, as: UTF8.self))
    default: throw LostAnswer()
    }
  }

  private func urlRequest(_ request: PushRequest, id: Article.ID, body: Data?) -> URLRequest {
    let isNew = request.kind == .insert
    var result = URLRequest(url: isNew ? url : url.appendingPathComponent("\(id)"))
    result.httpMethod = isNew ? "POST" : request.kind == .delete ? "DELETE" : "PATCH"
    result.httpBody = body
    result.setValue(request.id.uuidString, forHTTPHeaderField: "Idempotency-Key")
    if let version = request.before(as: Article.self)?.version {
      result.setValue("\(version)", forHTTPHeaderField: "If-Match")
    }
    return result
  }
}
