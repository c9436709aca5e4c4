public import Strata
public import Testing

/// Gives each test a temporary stack of its own.
///
/// ```swift
/// @Suite(.stack(Song.self)) struct SongTests {
///   let stack = Stack.test
///   @Test func `a saved song is found again`() async throws { … }
/// }
/// ```
///
/// On a suite it applies to every test in it; each case of a parametrised test has its own. The
/// stack is closed and its files are removed when the case ends.
public struct StackTrait: TestTrait, SuiteTrait, TestScoping {
  private let entities: [any Entity.Type]

  init(_ entities: [any Entity.Type]) { self.entities = entities }

  public var isRecursive: Bool { true }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTemporaryStack(entities) { stack in
      try await Stack.$running.withValue(stack) { try await body() }
    }
  }
}

extension Trait where Self == StackTrait {
  /// A temporary stack of the given entities for each test.
  public static func stack(_ entities: any Entity.Type...) -> Self { Self(entities) }
}

extension Stack {
  @TaskLocal fileprivate static var running: Stack?

  /// The stack of the running test.
  ///
  /// - Precondition: the test or its suite has the trait ``StackTrait``.
  public static var test: Stack {
    guard let running else {
      fatalError("add the trait .stack(Song.self) to this test or its suite")
    }
    return running
  }
}

/// Runs `body` with a temporary stack that is closed and removed afterwards.
public nonisolated(nonsending) func withTemporaryStack<R>(
  _ entities: any Entity.Type...,
  body: nonisolated(nonsending) (Stack) async throws -> R
) async throws -> R {
  try await withTemporaryStack(entities, body: body)
}

/// Runs `body` with a temporary stack of a list of entities.
public nonisolated(nonsending) func withTemporaryStack<R>(
  _ entities: [any Entity.Type],
  body: nonisolated(nonsending) (Stack) async throws -> R
) async throws -> R {
  let stack = try await Stack.temporary(entities)
  do {
    let result = try await body(stack)
    await stack.close()
    return result
  } catch {
    await stack.close()
    throw error
  }
}
