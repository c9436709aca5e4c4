/// A relationship, or a value of related entities, that is fetched or kept up to date together with its roots.
///
/// ``ToOne``, ``ToMany``, ``ManyToMany`` and ``RelatedValue`` conform to it.
///
/// ```swift
/// for (song, artist) in try await view.fetch(Song.all, with: Song.artist) {
///   print(song.title, artist?.name ?? "unknown")
/// }
/// ```
public protocol Relationship<Root>: Sendable {
  /// The entity that has the relationship.
  associatedtype Root: Entity
  /// The related entities of one root: an optional entity or an array.
  associatedtype Related: Sendable
  /// What a live tree shows beside each root: an optional entity, entities or a value.
  associatedtype Shown: Sendable
  /// The way to fetch the relationship for many roots at once.
  var _prefetch: _RelationshipPrefetch<Root, Related> { get }
  /// The way to keep the relationship up to date for many roots at once.
  var _branch: _RelationshipBranch<Root, Shown> { get }
}

/// The way to fetch a relationship for many roots at once; made by the library.
public struct _RelationshipPrefetch<Root: Entity, Related: Sendable>: Sendable {
  /// Returns the related entities of each root, in the order of the roots.
  let load: @Sendable (LayeredFetch, [Root]) async throws(StoreError) -> [Related]
}

extension ToOne: Relationship {
  public var _prefetch: _RelationshipPrefetch<Root, Target?> {
    _RelationshipPrefetch { fetch, roots throws(StoreError) in
      try await fetch.targets(of: roots, definition)
    }
  }
}

extension ToMany: Relationship {
  public var _prefetch: _RelationshipPrefetch<Root, [Target]> {
    _RelationshipPrefetch { fetch, roots throws(StoreError) in
      try await fetch.groups(of: roots) { keys throws(StoreError) in
        let source = RelationshipSource(
          Root.self, keys, position: definition.position, checksRoot: false)
        let attribute = AttributeReference(definition.inverse)
        // The source reports a key that cannot be stored.
        let filter = FilterNode.isIn(attribute, (try? source.keys.get()) ?? [])
        return refine(Query(filter: filter, from: source))
      } column: { plan in
        plan.table.column(for: definition.inverse)
      }
    }
  }

  /// Returns the same relationship with only some of its entities, or in another order.
  ///
  /// ```swift
  /// let loved = Artist.songs.narrowed { $0.where { $0.loved }.sorted(by: \.title).limit(3) }
  /// for (artist, songs) in try await view.fetch(Artist.all, with: loved) { … }
  /// ```
  ///
  /// A limit counts for each root.
  public func narrowed(
    _ change: @escaping @Sendable (Query<Target>) -> Query<Target>
  ) -> ToMany<Root, Target> {
    ToMany(definition, ordering) { [refine] in change(refine($0)) }
  }
}

extension ManyToMany: Relationship {
  public var _prefetch: _RelationshipPrefetch<Root, [Target]> {
    _RelationshipPrefetch { fetch, roots throws(StoreError) in
      try await fetch.groups(of: roots) { keys throws(StoreError) in
        refine(
          Query(from: RelationshipSource(Root.self, keys, link: reference, checksRoot: false)))
      } column: { plan in
        // The root's key comes after the columns of the row.
        plan.width
      }
    }
  }

  /// Returns the same relationship with only some of its entities, or in another order.
  ///
  /// A limit counts for each root.
  public func narrowed(
    _ change: @escaping @Sendable (Query<Target>) -> Query<Target>
  ) -> ManyToMany<Root, Target> {
    ManyToMany(definition, isInverse: isInverse) { [refine] in change(refine($0)) }
  }
}
