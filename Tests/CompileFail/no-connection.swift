// expect: inaccessible due to 'package' protection level
// No context gives access to the store, let alone to a connection.
import Strata

@MainActor func peek(_ stack: Stack) { _ = stack.store }
