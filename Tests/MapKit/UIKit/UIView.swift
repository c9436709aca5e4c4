public import Foundation

// The declarations of UIKit that the adapter uses, with UIKit's signatures.

@MainActor open class UIView: NSObject {
  open var bounds = CGRect.zero
  public let layer = CALayer()

  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
    public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
  }

  open class func animate(
    withDuration duration: TimeInterval, delay: TimeInterval, options: UIView.AnimationOptions = [],
    animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
  ) {
    animations()
    completion?(true)
  }
}

open class CALayer: NSObject {
  open func removeAllAnimations() {}
}
