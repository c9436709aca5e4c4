/// Decides when a replica pulls, and when it sleeps until the server tells it of a commit.
///
/// The server tells of commits only while somebody has asked for it, because telling makes all
/// commits wait for each other. A commit that had begun before the replica asked tells nobody.
/// So the replica sleeps only after a pull that found nothing and while no such commit can be
/// under way.
///
/// ```
/// awake ─nothing found→ armed;  armed ─something found→ awake
/// armed ─nothing found, others write→ armed (a little later)
/// armed ─nothing found, nobody writes→ armed (after a sleep)
/// ```
struct WakeUp {
  enum State: Equatable {
    case awake
    /// The server tells of commits. The replica has pulled this many times since it asked or slept.
    case armed(pulls: Int)
  }

  /// What the replica does before its next pull.
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

  /// Notes a push, which ends what the replica has asked for.
  mutating func pushed() { state = .awake }

  /// Notes a pull.
  ///
  /// - Parameter othersWrite: whether transactions of others had a number before the pull began; nil
  ///   if nobody has looked.
  mutating func pulled(found: Bool, othersWrite: Bool?) -> Action {
    switch state {
    case .awake where found: return .nothing
    case .awake:
      state = .armed(pulls: 0)
      return .arm
    case .armed where found:
      state = .awake
      return .disarm
    case .armed where othersWrite == nil: return .nothing
    case .armed(let pulls) where othersWrite == true:
      state = .armed(pulls: pulls + 1)
      return .wait(.milliseconds(Self.waits[min(pulls, Self.waits.count - 1)]))
    case .armed:
      state = .armed(pulls: 0)
      return .sleep(Self.longestSleep)
    }
  }
}
