import Strata

/// A model of the size of a large app's: 60 entities, eight of them with 60 attributes and 20
/// relationships each. Its entities are written by `.ci/large-model.swift`.
enum LargeModel {
  enum State: String, AttributeValue { case new, open, done }
}
