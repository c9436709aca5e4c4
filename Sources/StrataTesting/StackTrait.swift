public import Strata
internal import StrataSimulation
public import Testing

/// A trait that gives each test a temporary stack of its own.
///
/// ```swift
/// @Suite(.stack(Song.self)) struct SongTests {
///   let stack = Stack.test
///   @Test func `a saved song is found again`() async throws { … }
/// }
/// ```
///
/// On a suite, the trait applies to every test of the suite. Each case of a parametrised test has
/// its own stack, even while other cases run at the same time. The stack is closed and its files
/// are removed when the case ends, however it ends.
public struct StackTrait: TestTrait, SuiteTrait, TestScoping {
  fileprivate let entities: [any Entity.Type]
  fileprivate let fixtures: [Fixture]
  fileprivate let options: Stack.Options

  public var isRecursive: Bool { true }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // A simulated test has a stack for each seed, and opens it in the simulation.
    #if compiler(>=6.3)
      if !Simulation.isRunning && SimulatedTrait.applies(to: test) { return try await body() }
    #endif
    try await withStack(body)
  }

  /// Runs `body` with a stack of its own as ``Stack/test``.
  func withStack(_ body: @concurrent @Sendable () async throws -> Void) async throws {
    try await withTemporaryStack(entities, options: options) { stack in
      try await stack.load(fixtures)
      try await Stack.$running.withValue(stack) { try await body() }
    }
  }
}

extension Trait where Self == StackTrait {
  /// Returns a trait that gives each test a temporary stack of the given entities.
  ///
  /// - Parameters:
  ///   - entities: the entities of the store.
  ///   - fixtures: the fixtures that are loaded before the test begins, in this order.
  ///   - options: the options for opening the stack; the same for every test.
  public static func stack(
    _ entities: any Entity.Type..., loading fixtures: Fixture...,
    options: Stack.Options = Stack.Options()
  ) -> Self {
    Self(entities: entities, fixtures: fixtures, options: options)
  }
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
///
/// - Throws: the error of `body`; `StoreError` as `Stack.temporary` does.
public nonisolated(nonsending) func withTemporaryStack<R>(
  _ entities: any Entity.Type..., options: Stack.Options = Stack.Options(),
  body: nonisolated(nonsending) (Stack) async throws -> R
) async throws -> R {
  try await withTemporaryStack(entities, options: options, body: body)
}

/// Runs `body` with a temporary stack of a list of entities.
///
/// - Throws: the error of `body`; `StoreError` as `Stack.temporary` does.
public nonisolated(nonsending) func withTemporaryStack<R>(
  _ entities: [any Entity.Type], options: Stack.Options = Stack.Options(),
  body: nonisolated(nonsending) (Stack) async throws -> R
) async throws -> R {
  let stack = try await Stack.temporary(entities, options: options)
  do {
    let result = try await body(stack)
    await stack.close()
    return result
  } catch {
    await stack.close()
    throw error
  }
}
