import Foundation
import Strata

/// A generated filter, and the same condition in plain Swift.
struct GeneratedFilter<Root, Subject> {
  let filter: Filter<Root>
  let holds: (Subject, FilterWorld) -> Bool

  func and(_ other: Self) -> Self {
    Self(filter: filter && other.filter) { holds($0, $1) && other.holds($0, $1) }
  }
  func or(_ other: Self) -> Self {
    Self(filter: filter || other.filter) { holds($0, $1) || other.holds($0, $1) }
  }
  var not: Self { Self(filter: !filter) { !holds($0, $1) } }
}

/// A generator of random filters like those of a program.
struct FilterGenerator {
  var random: SplitMix64
  let values: FilterValues

  /// Returns the depth of a filter. Most are small, because deep filters take long.
  static func depth(_ number: Int) -> Int { [0, 1, 0, 1, 0, 2, 1, 3][number % 8] }

  mutating func pick<V>(_ values: [V]) -> V {
    values[Int(random.next() % UInt64(values.count))]
  }
  mutating func oneIn(_ count: UInt64) -> Bool { random.next() % count == 0 }

  /// Returns a random tree of filters.
  mutating func tree<R, S>(
    _ depth: Int, _ leaf: (inout FilterGenerator) -> GeneratedFilter<R, S>
  ) -> GeneratedFilter<R, S> {
    if depth == 0 || oneIn(4) { return leaf(&self) }
    let first = tree(depth - 1, leaf)
    switch random.next() % 5 {
    case 0, 1: return first.and(tree(depth - 1, leaf))
    case 2, 3: return first.or(tree(depth - 1, leaf))
    default: return first.not
    }
  }

  // MARK: Entities

  mutating func piece<R>(
    _ fields: Fields<R, Piece>, _ depth: Int
  ) -> GeneratedFilter<R, Piece> {
    tree(depth) { $0.pieceLeaf(fields, depth) }
  }

  private mutating func pieceLeaf<R>(
    _ f: Fields<R, Piece>, _ depth: Int
  ) -> GeneratedFilter<R, Piece> {
    switch random.next() % (depth > 0 ? 20 : 13) {
    case 0, 1: return integers(f)
    case 2, 3: return reals(f)
    case 4: return text(f.title) { $0.title }
    case 5: return text(f.subtitle) { $0.subtitle }
    case 6: return text(f.subtitle ?? f.title) { $0.subtitle ?? $0.title }
    case 7: return dates(f)
    case 8: return lists(f)
    case 9:
      return GeneratedFilter(filter: f.isLive) { piece, _ in piece.isLive }
    case 10:
      let key = pick(values.labels)
      return GeneratedFilter(filter: f.labels.contains(key)) { piece, world in
        world.labels(of: piece).contains { $0.id == key }
      }
    case 11:
      return GeneratedFilter(filter: f.labels.isEmpty) { $1.labels(of: $0).isEmpty }
    case 12:
      let limit = Int(random.next() % 4)
      return GeneratedFilter(filter: f.labels.count > limit) { $1.labels(of: $0).count > limit }
    case 13, 14, 15:
      let inner = composer(f.composer, depth - 1)
      return GeneratedFilter(filter: inner.filter) { inner.holds($1.composer(of: $0), $1) }
    case 16, 17:
      return related(f.labels) {
        $0.label($1, depth - 1)
      } of: {
        $1.labels(of: $0)
      }
    default:
      return related(f.composer.pieces) {
        $0.piece($1, depth - 1)
      } of: {
        $1.pieces(of: $1.composer(of: $0))
      }
    }
  }

  private mutating func composer<R>(
    _ f: Fields<R, Composer>, _ depth: Int
  ) -> GeneratedFilter<R, Composer?> {
    tree(depth) { generator in
      switch generator.random.next() % (depth > 0 ? 8 : 4) {
      case 0: return generator.text(f.name) { $0?.name }
      case 1:
        let value = generator.values.maybe(generator.values.integers, &generator.random)
        return GeneratedFilter(filter: f.born == value) { composer, _ in composer?.born == value }
      case 2:
        return GeneratedFilter(filter: f.teacher.id == f.id) { composer, world in
          world.teacher(of: composer)?.id == composer?.id
        }
      case 3:
        return GeneratedFilter(filter: f.pupils.count < f.pieces.count) { composer, world in
          world.pupils(of: composer).count < world.pieces(of: composer).count
        }
      case 4:
        let inner = generator.composer(f.teacher, depth - 1)
        return GeneratedFilter(filter: inner.filter) { inner.holds($1.teacher(of: $0), $1) }
      case 5, 6:
        return generator.related(f.pieces) {
          $0.piece($1, depth - 1)
        } of: {
          $1.pieces(of: $0)
        }
      default:
        return generator.related(f.pupils) { generator, fields in
          let inner = generator.composer(fields, depth - 1)
          return GeneratedFilter(filter: inner.filter) { inner.holds($0, $1) }
        } of: {
          $1.pupils(of: $0)
        }
      }
    }
  }

  private mutating func label<R>(
    _ f: Fields<R, Label>, _ depth: Int
  ) -> GeneratedFilter<R, Label> {
    tree(depth) { generator in
      if depth > 0 && generator.oneIn(2) {
        return generator.related(f.pieces) {
          $0.piece($1, depth - 1)
        } of: {
          $1.pieces(of: $0)
        }
      }
      let value = generator.pick(generator.values.integers)
      if generator.oneIn(2) {
        return GeneratedFilter(filter: f.weight >= value) { label, _ in label.weight >= value }
      }
      return generator.text(f.id) { $0.id }
    }
  }

  /// Returns a condition on related entities: any, all, none, or a count.
  private mutating func related<R, S, Target: Entity>(
    _ fields: RelatedFields<R, Target>,
    _ condition: (inout FilterGenerator, Fields<_Related<R, Target>, Target>) -> GeneratedFilter<
      _Related<R, Target>, Target
    >,
    of targets: @escaping (S, FilterWorld) -> [Target]
  ) -> GeneratedFilter<R, S> {
    // The closure is called at once, so it may draw from the generator.
    var generator = self
    var test: (Target, FilterWorld) -> Bool = { _, _ in false }
    func make(_ target: Fields<_Related<R, Target>, Target>) -> Filter<_Related<R, Target>> {
      let inner = condition(&generator, target)
      test = inner.holds
      return inner.filter
    }
    defer { random = generator.random }
    switch random.next() % 5 {
    case 0, 1:
      return GeneratedFilter(filter: fields.any(make)) { subject, world in
        targets(subject, world).contains { test($0, world) }
      }
    case 2:
      return GeneratedFilter(filter: fields.all(make)) { subject, world in
        targets(subject, world).allSatisfy { test($0, world) }
      }
    case 3:
      return GeneratedFilter(filter: fields.none(make)) { subject, world in
        !targets(subject, world).contains { test($0, world) }
      }
    default:
      let limit = Int(random.next() % 3)
      return GeneratedFilter(filter: fields.count(where: make) == limit) { subject, world in
        targets(subject, world).filter { test($0, world) }.count == limit
      }
    }
  }
}
