// expect: inaccessible due to
// Nor does the view context.
import Strata

@MainActor func peek(_ view: ViewContext) { _ = view.store.writer.connection }
