import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The texts of an error that an alert shows.
@Suite(.inTurn) struct LocalizedErrorTests {
  @Test func `an alert shows the message and the remedy`() {
    let errors: [(any Error, String, String?)] = [
      (StoreError.closed, "the stack is closed", "open it again"),
      (
        QueryError.unsupported("x", "a query cannot do this"), "a query cannot do this: x",
        "write the condition as a filter, or apply it to what was fetched"
      ),
      (ValueError("no number"), "no number", nil),
    ]
    for (error, message, advice) in errors {
      #expect(error.localizedDescription == message)
      #expect((error as? any LocalizedError)?.recoverySuggestion == advice)
    }
  }

  @Test func `every code has a number of its own`() {
    let codes: [StoreError.Code] = [
      .notADatabase, .cannotOpen, .newerStore, .schemaMismatch, .migrationFailed, .schemaChanged,
      .invalidSchema, .missingModule, .diskFull, .busy, .inputOutput, .outOfMemory, .invalidValue,
      .uniquenessViolated, .missingReference, .deleteDenied, .validationFailed, .conflict,
      .invalidQuery, .historyExpired, .wrongStore, .closed, .suspended, .replaced, .cancelled,
      .deadlineExceeded, .writeRefused, .sqlite, .replicated, .readOnly, .nestedPush,
      .fileExists,
    ]
    #expect(codes.map(\.number) == Array(1...32))
    #expect(Set(codes).count == 32)
    let error = StoreError.closed as NSError
    #expect(error.domain == "StrataStoreError" && error.code == StoreError.Code.closed.number)
  }

  // An alert showed "The operation could not be completed" for an error without these protocols.
  @Test func `every public type of error is shown by an alert`() throws {
    let listings = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../API")
    let files = try FileManager.default.contentsOfDirectory(atPath: listings.path)
    var errors: [String] = []
    for file in files where file.hasSuffix(".txt") {
      let text = try String(contentsOf: listings.appending(path: file), encoding: .utf8)
      for line in text.split(separator: "\n") {
        let parts = line.components(separatedBy: ": conforms to ")
        guard parts.count == 2 else { continue }
        let protocols = Set(parts[1].components(separatedBy: ", "))
        guard protocols.contains("Error") else { continue }
        errors.append(parts[0])
        #expect(protocols.isSuperset(of: ["LocalizedError", "CustomNSError"]), "\(parts[0])")
      }
    }
    #expect(errors.contains("StoreError") && errors.contains("ReplicaError"))
  }

  @Test func `a system without space is a full disk`() {
    for code: Int32 in [10, 4874, 14] {
      let full = SQLiteError(code: code, message: "disk I/O error", sql: nil, systemError: 28)
      #expect(StoreError(full).code == .diskFull)
      let other = SQLiteError(code: code, message: "disk I/O error", sql: nil, systemError: 5)
      #expect(StoreError(other).code != .diskFull)
    }
  }

  private struct Photo: Entity {
    var id = 0
    var title = ""
    var data = Data()
    static let schema = Schema<Photo>("photos", key: \.id) {
      Attribute(\.title)
      Attribute(\.data)
    }
  }

  @Test func `a value that is too large is named`() async throws {
    let stack = try await Stack.temporary(Photo.self)
    let error = await failure {
      try await stack.withScratch { $0.insert(Photo(id: 1, data: Data(count: 600_000_000))) }
    }
    #expect(error?.code == .invalidValue && error?.attributes == ["data"])
    await stack.close()
  }
}
