/// The prices of requests (REQ-7), in euro cents; 0 is free.
package struct RequestPrices: Sendable, Equatable {
  /// The price of a single request.
  package let single: Int64
  /// The price of a group request.
  package let group: Int64
  /// The price of a subscription of either kind; nil for the price of its kind.
  package let subscription: Int64?

  /// All requests are free.
  package static let free = RequestPrices(single: 0, group: 0, subscription: nil)

  /// Creates prices.
  package init(single: Int64, group: Int64, subscription: Int64?) {
    self.single = single
    self.group = group
    self.subscription = subscription
  }

  /// The price of a single request.
  package func ofSingle(subscribing: Bool) -> Int64 {
    subscribing ? subscription ?? single : single
  }

  /// The price of a group request.
  package func ofGroup(subscribing: Bool) -> Int64 { subscribing ? subscription ?? group : group }

  /// Whether any price is above zero.
  package var areDue: Bool { single > 0 || group > 0 || (subscription ?? 0) > 0 }
}
