/// How much of a store's history is kept; see ``Stack/Options/history``.
///
/// What is older is pruned by the writer, as part of later commits: a little at a time, so somewhat
/// more than asked for may be there.
public struct HistoryOptions: Sendable {
  /// How long a commit is kept, by ``Stack/Options/now``; nil for any time.
  public let age: Duration?
  /// How many bytes of the newest commits are kept; nil for any number.
  public let bytes: Int?

  private init(age: Duration?, bytes: Int?) {
    if let age, age <= .zero { fatalError("history is kept for a time greater than zero") }
    if let bytes, bytes <= 0 { fatalError("history is kept for a number of bytes greater than 0") }
    self.age = age
    self.bytes = bytes
  }

  /// Keeps what was committed within the last `age`.
  ///
  /// - Precondition: `age` is greater than zero.
  public static func keep(for age: Duration) -> HistoryOptions {
    HistoryOptions(age: age, bytes: nil)
  }

  /// Keeps the newest commits whose changes take `bytes` bytes together.
  ///
  /// - Precondition: `bytes` is greater than zero.
  public static func keep(bytes: Int) -> HistoryOptions { HistoryOptions(age: nil, bytes: bytes) }

  /// Keeps what both limits allow.
  ///
  /// - Precondition: both are greater than zero.
  public static func keep(for age: Duration, bytes: Int) -> HistoryOptions {
    HistoryOptions(age: age, bytes: bytes)
  }
}
