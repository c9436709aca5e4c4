public import Strata

extension AnnotationMapping {
  /// Titles the annotation with an attribute.
  public func title(_ path: any KeyPath<E, String> & Sendable) -> Self {
    title(path) { $0 }
  }

  /// Titles the annotation with an attribute; nil means no title.
  public func title(_ path: any KeyPath<E, String?> & Sendable) -> Self {
    title(path) { $0 ?? "" }
  }

  /// Titles the annotation with text made from an attribute.
  public func title<V: AttributeValue>(
    _ path: any KeyPath<E, V> & Sendable, _ text: @escaping @Sendable (V) -> String
  ) -> Self {
    setting(\.title, to: Part(path, text))
  }

  /// Uses an attribute as the second line of text.
  public func subtitle(_ path: any KeyPath<E, String> & Sendable) -> Self {
    subtitle(path) { $0 }
  }

  /// Uses an attribute as the second line of text; nil means no subtitle.
  public func subtitle(_ path: any KeyPath<E, String?> & Sendable) -> Self {
    subtitle(path) { $0 ?? "" }
  }

  /// Uses text made from an attribute as the second line of text.
  public func subtitle<V: AttributeValue>(
    _ path: any KeyPath<E, V> & Sendable, _ text: @escaping @Sendable (V) -> String
  ) -> Self {
    setting(\.subtitle, to: Part(path, text))
  }

  /// Uses an attribute as the name of the style.
  public func style(_ path: any KeyPath<E, String> & Sendable) -> Self {
    style(path) { $0 }
  }

  /// Uses an attribute as the name of the style; nil means the surface's default.
  public func style(_ path: any KeyPath<E, String?> & Sendable) -> Self {
    style(path) { $0 ?? "" }
  }

  /// Chooses the style by an attribute.
  public func style<V: AttributeValue>(
    _ path: any KeyPath<E, V> & Sendable, _ style: @escaping @Sendable (V) -> String
  ) -> Self {
    setting(\.style, to: Part(path, style))
  }

  /// Ranks the annotation by a number; greater numbers are more important.
  public func priority<V: AttributeValue & BinaryFloatingPoint>(
    _ path: any KeyPath<E, V> & Sendable
  ) -> Self {
    priority(path) { Double($0) }
  }

  /// Ranks the annotation by a number; greater numbers are more important, and nil counts as 0.
  public func priority<V: AttributeValue & BinaryFloatingPoint>(
    _ path: any KeyPath<E, V?> & Sendable
  ) -> Self {
    setting(\.priority, to: Part(path) { Double($0 ?? 0) })
  }

  /// Ranks the annotation by a whole number; greater numbers are more important.
  public func priority<V: AttributeValue & BinaryInteger>(
    _ path: any KeyPath<E, V> & Sendable
  ) -> Self {
    priority(path) { Double($0) }
  }

  /// Ranks the annotation by a whole number; greater numbers are more important, and nil counts as
  /// 0.
  public func priority<V: AttributeValue & BinaryInteger>(
    _ path: any KeyPath<E, V?> & Sendable
  ) -> Self {
    setting(\.priority, to: Part(path) { Double($0 ?? 0) })
  }

  /// Ranks the annotation by a number made from an attribute; greater numbers are more important.
  ///
  /// NaN counts as 0.
  public func priority<V: AttributeValue>(
    _ path: any KeyPath<E, V> & Sendable, _ rank: @escaping @Sendable (V) -> Double
  ) -> Self {
    setting(\.priority, to: Part(path, rank))
  }

  /// Clusters an annotation only with annotations of the same group; nil means no clustering.
  ///
  /// Without a cluster group, all annotations are in the same group.
  public func clusterGroup<V: AttributeValue>(
    _ path: any KeyPath<E, V> & Sendable, _ group: @escaping @Sendable (V) -> String?
  ) -> Self {
    setting(\.clusterGroup, to: Part(path, group))
  }

  private func setting<Output>(
    _ part: WritableKeyPath<Self, Part<Output>?>, to value: Part<Output>
  ) -> Self {
    var copy = self
    copy[keyPath: part] = value
    return copy
  }
}
