public import Foundation
internal import Strata
internal import StrataFaults

/// A place for a store on a disk that fails when a test says so.
///
/// ```swift
/// let disk = try FaultyDisk()
/// let stack = try await Stack.open(Song.self, at: disk.url)
/// stack.viewContext.insert(Song(title: "So What"))
/// disk.fail(.full)
/// await #expect(throws: StoreError.self) { try await stack.viewContext.save() }
/// disk.recover()
/// try await stack.viewContext.save()
/// ```
///
/// The calls that SQLite makes to the system fail. So a stack takes every path that it would take
/// on a user's full disk. Other files that the process opens are not affected.
public final class FaultyDisk: Sendable {
  /// The calls that fail.
  public enum Fault: Sendable {
    /// Writing, because the disk is full: saves fail with `diskFull`.
    case full
    /// Writing: saves fail with `inputOutput`.
    case writes
    /// Reading: fetches fail with `inputOutput`, unless their rows are in memory.
    case reads
    /// Opening a file: stacks fail to open, or to resume, with `cannotOpen`.
    case opening
  }

  /// The URL at which to open the store.
  public let url: URL
  private let folder: TemporaryFolder?
  private let plan = FaultPlan()

  /// Creates a disk for a store in a folder of its own, which is removed when the disk is released.
  ///
  /// - Throws: `StoreError` with code `cannotOpen` if the folder cannot be made.
  public init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    url = folder.url.appendingPathComponent("store.sqlite")
    ObservedFileSystem.observe(url.path, with: plan)
  }

  /// Creates a disk for the store at `url`, for stacks that are opened after this call.
  public init(at url: URL) {
    folder = nil
    self.url = url
    ObservedFileSystem.observe(url.path, with: plan)
  }

  deinit {
    ObservedFileSystem.endObserving(url.path, with: plan)
    folder?.remove()
  }

  /// Makes calls fail until ``recover()``.
  ///
  /// - Parameters:
  ///   - fault: the calls that fail.
  ///   - calls: the number of the system's calls that fail; 1 to make a save fail once.
  public func fail(_ fault: Fault, calls: Int = .max) {
    switch fault {
    case .full: plan.arm(.fullDisk(calls))
    case .writes: plan.arm(.failingWrites(calls))
    case .reads: plan.arm(.failingReads(calls))
    case .opening: plan.arm(.failingOpens(calls))
    }
  }

  /// Makes every call work again.
  ///
  /// - Returns: the number of calls that failed.
  @discardableResult
  public func recover() -> Int { plan.disarm() }
}
