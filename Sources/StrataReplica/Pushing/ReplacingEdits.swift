internal import Strata

/// The edits that wait and that replace values of other hosts in a conflict.
///
/// A pull finds the conflict, and a later push tells the server of it, so that the other hosts are told, too. After
/// a relaunch the conflict is forgotten.
struct ReplacingEdits {
  private var waiting: Set<PushOrder.Row> = []
  private var handedOver: Set<PushOrder.Row> = []

  /// Notes the rows of conflicts between edits that wait and the server's rows.
  mutating func found(_ rows: [PushOrder.Row]) { waiting.formUnion(rows) }

  /// Notes that a push has the edits of some rows, and returns those that replace values of others.
  mutating func handOver(_ rows: [PushOrder.Row]) -> Set<PushOrder.Row> {
    handedOver = waiting.intersection(rows)
    return handedOver
  }

  /// Notes that the server has made the last push.
  mutating func confirm() {
    waiting.subtract(handedOver)
    handedOver = []
  }

  /// Notes that the edits of a row were given up.
  mutating func giveUp(_ row: PushOrder.Row) { waiting.remove(row) }
}
