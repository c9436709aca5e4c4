/// The progress of a copy or a restoration of a store.
///
/// ```swift
/// try await stack.copy(to: url) { progress in
///   print(progress.phase, progress.done, "of", progress.total)
/// }
/// ```
public struct CopyProgress: Sendable, Hashable {
  /// A kind of work in a copy.
  public enum Phase: Sendable, Hashable {
    /// Writes the bytes of the copy.
    case copying
    /// Reads the copy again, and checks every page.
    case checking
  }

  /// The kind of work that the copy does.
  public let phase: Phase
  /// The number of finished bytes; 0 until the end of a check.
  public let done: Int
  /// The number of all bytes.
  public let total: Int
}

/// Reports the progress of a copy to the app.
struct CopyMeter: Sendable {
  let handler: (@Sendable (CopyProgress) -> Void)?

  func report(_ phase: CopyProgress.Phase, _ done: Int, of total: Int) {
    handler?(CopyProgress(phase: phase, done: done, total: total))
  }
}
