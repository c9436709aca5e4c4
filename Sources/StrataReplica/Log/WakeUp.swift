/// Decides when a replica pulls, and when it sleeps until the server tells it of a commit.
///
/// The server tells of commits only while a replica has asked for it, because telling makes all
/// commits wait for each other. A commit that had begun before the replica asked is not told.
/// So the replica sleeps only after a pull that found nothing and while no such commit can be
/// under way.
///
/// ```
/// awake ─nothing found→ armed;  armed, asleep ─something found→ awake
/// armed ─nothing found, others write→ armed (a little later)
/// armed ─nothing found, no other writes→ armed (after a sleep);  armed ─slept→ asleep
/// asleep ─nothing found→ armed (at once);  any ─pushed→ awake
/// ```
struct WakeUp {
  enum State: Equatable {
    case awake
    /// The server tells of commits. The replica has pulled this many times since it asked or slept.
    case armed(pulls: Int)
    /// The server tells of commits, and the replica comes from a sleep.
    case asleep
  }

  /// The replica's work before its next pull.
  enum Action: Equatable {
    case nothing
    case arm
    case disarm
    case wait(Duration)
    case sleep(Duration)
  }

  private(set) var state = State.awake

  /// The waits between pulls while others write. The last one repeats.
  private static let waits = [5, 20, 250]
  /// A commit may go untold if the replica that asked for all has died.
  private static let longestSleep = Duration.seconds(1)

  /// Whether the server tells of commits because this replica has asked.
  var isArmed: Bool { state != .awake }

  /// Whether the next pull has to know if others write.
  ///
  /// A replica that was woken will find something, so it does not ask.
  var asksForOthers: Bool { if case .armed = state { true } else { false } }

  /// Notes a push, which ends what the replica has asked for.
  mutating func pushed() { state = .awake }

  /// Notes a sleep, which ended by itself or by a commit.
  mutating func slept() { if isArmed { state = .asleep } }

  /// Notes a pull.
  ///
  /// - Parameter othersWrite: whether transactions of others had a number before the pull began, if
  ///   the replica has asked.
  mutating func pulled(found: Bool, othersWrite: Bool) -> Action {
    switch state {
    case .awake where found: return .nothing
    case .awake:
      state = .armed(pulls: 0)
      return .arm
    case .armed where found, .asleep where found:
      state = .awake
      return .disarm
    case .asleep:
      state = .armed(pulls: 0)
      return .nothing
    case .armed(let pulls) where othersWrite:
      state = .armed(pulls: pulls + 1)
      return .wait(.milliseconds(Self.waits[min(pulls, Self.waits.count - 1)]))
    case .armed:
      state = .armed(pulls: 0)
      return .sleep(Self.longestSleep)
    }
  }
}
