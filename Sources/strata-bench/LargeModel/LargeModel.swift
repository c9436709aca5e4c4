import Strata

/// A model of the size of a large app's model.
///
/// It has 60 entities, eight of them with 60 attributes and 20 relationships each.
/// `.ci/large-model.swift` writes the entities.
enum LargeModel {
  enum State: String, AttributeValue { case new, open, done }
}
