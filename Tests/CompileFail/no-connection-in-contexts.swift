// expect: inaccessible due to
// The view context does not give access to the store or to a connection.
import Strata

@MainActor func peek(_ view: ViewContext) { _ = view.store.writer.connection }
