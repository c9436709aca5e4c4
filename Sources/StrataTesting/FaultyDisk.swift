public import Foundation
public import Strata
internal import StrataFaults

/// A place for a store where the disk fails when a test says so.
///
/// ```swift
/// let disk = try FaultyDisk()
/// let stack = try await Stack.open(Song.self, at: disk.url)
/// stack.view.insert(Song(title: "So What"))
/// disk.fail(.full)
/// await #expect(throws: StoreError.self) { try await stack.view.save() }
/// disk.recover()
/// try await stack.view.save()
/// ```
///
/// The calls that SQLite makes to the system fail, so a stack goes every way that it would go with
/// a user's full disk. Nothing else that the process opens is touched.
public final class FaultyDisk: Sendable {
  /// What fails.
  public enum Fault: Sendable {
    /// Writing, as the disk is full: saves fail with `diskFull`.
    case full
    /// Writing: saves fail with `inputOutput`.
    case writes
    /// Reading: fetches fail with `inputOutput`, unless what they read is in memory.
    case reads
    /// Opening a file: stacks fail to open, or to resume, with `cannotOpen`.
    case opening
  }

  /// Where to open the store.
  public let url: URL
  private let folder: TemporaryFolder?
  private let plan = FaultPlan()

  /// A disk for a store in a folder of its own, removed when nobody has the disk any more.
  ///
  /// - Throws: `StoreError` with code `cannotOpen` if the folder cannot be made.
  public init() throws(StoreError) {
    let folder = try TemporaryFolder()
    self.folder = folder
    url = folder.url.appendingPathComponent("store.sqlite")
    ObservedFileSystem.observe(url.path, with: plan)
  }

  /// A disk for the store at `url`, as far as its stacks are opened after this.
  public init(at url: URL) {
    folder = nil
    self.url = url
    ObservedFileSystem.observe(url.path, with: plan)
  }

  deinit {
    ObservedFileSystem.endObserving(url.path, with: plan)
    folder?.remove()
  }

  /// Fails from now on, until ``recover()``.
  ///
  /// - Parameters:
  ///   - fault: what fails.
  ///   - calls: how many of the system's calls fail; of a save that is to fail once, one.
  public func fail(_ fault: Fault, calls: Int = .max) {
    switch fault {
    case .full: plan.arm(.fullDisk(calls))
    case .writes: plan.arm(.failingWrites(calls))
    case .reads: plan.arm(.failingReads(calls))
    case .opening: plan.arm(.failingOpens(calls))
    }
  }

  /// Works again.
  ///
  /// - Returns: the number of calls that failed.
  @discardableResult
  public func recover() -> Int { plan.disarm() }
}
