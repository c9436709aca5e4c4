/// The task that brings the view context to each new commit, strictly in sequence.
///
/// It holds the view context only during a turn, so it does not keep the context alive. It ends
/// when the stack closes.
enum MergeLoop {
  static func start(_ writer: Writer, _ maintainer: Maintainer, _ view: ViewContext) {
    let deliver: Maintainer.Deliver = { [weak view] turn in await view?.merge(turn) }
    StoreDeadline.withNone { _ = Task { await maintainer.run(writer, deliver) } }
  }
}

extension Maintainer {
  /// Hands a turn to the view context.
  ///
  /// Returns the keys whose records the view context needs first, none if it shows the turn; nil if
  /// the view context no longer exists.
  typealias Deliver = @Sendable (MergeTurn) async -> [TableID: Set<RecordKey>]?

  /// Brings the view context to each step of the writer, until the writer closes.
  fileprivate func run(_ writer: Writer, _ deliver: @escaping Deliver) async {
    start(writer.model, deliver)
    _ = await showOpened()
    while let step = await writer.nextMergeStep() { await show(step) }
  }
}
