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
