/// The reason for which a store cannot have a row of a server.
package struct RowFlaw: Sendable, Hashable {
  /// The names of the attributes that the store cannot have; all of them if it is empty.
  package let attributes: [String]
  package let message: String

  package init(_ attributes: [String], _ message: String) {
    self.attributes = attributes
    self.message = message
  }
}
