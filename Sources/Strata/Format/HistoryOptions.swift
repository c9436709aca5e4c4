/// The amount of history that a store keeps; see ``StackOptions/history``.
///
/// The writer prunes older commits as part of later commits, a few at a time. So the store may keep
/// somewhat more than the options ask for.
///
/// ```swift
/// options.history = .keep(for: .seconds(7 * 86_400), bytes: 20_000_000)
/// ```
public struct HistoryOptions: Sendable {
  /// The time for which a commit is kept, by the clock ``StackOptions/now``; nil for no limit.
  public let age: Duration?
  /// The number of bytes of the newest commits that are kept; nil for no limit.
  public let bytes: Int?

  private init(age: Duration?, bytes: Int?) {
    if let age, age <= .zero { fatalError("history is kept for a time greater than zero") }
    if let bytes, bytes <= 0 { fatalError("history is kept for a number of bytes greater than 0") }
    self.age = age
    self.bytes = bytes
  }

  /// Keeps the commits of the last `age`.
  ///
  /// - Precondition: `age` is greater than zero.
  public static func keep(for age: Duration) -> HistoryOptions {
    HistoryOptions(age: age, bytes: nil)
  }

  /// Keeps the newest commits whose changes together take `bytes` bytes.
  ///
  /// - Precondition: `bytes` is greater than zero.
  public static func keep(bytes: Int) -> HistoryOptions { HistoryOptions(age: nil, bytes: bytes) }

  /// Keeps the commits that both limits allow.
  ///
  /// - Precondition: both limits are greater than zero.
  public static func keep(for age: Duration, bytes: Int) -> HistoryOptions {
    HistoryOptions(age: age, bytes: bytes)
  }
}
