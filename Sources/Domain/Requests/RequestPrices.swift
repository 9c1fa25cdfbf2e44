/// What requests cost (REQ-7), in euro cents; 0 is for nothing.
package struct RequestPrices: Sendable, Equatable {
  /// A single request.
  package let single: Int64
  /// A group request.
  package let group: Int64
  /// A subscription of either kind; nil where it costs what its kind does.
  package let subscription: Int64?

  /// Nothing costs anything.
  package static let free = RequestPrices(single: 0, group: 0, subscription: nil)

  /// Prices of these amounts.
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

  /// Whether something costs something.
  package var areDue: Bool { single > 0 || group > 0 || (subscription ?? 0) > 0 }
}
