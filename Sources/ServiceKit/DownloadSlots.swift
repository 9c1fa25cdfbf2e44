import Domain
import Synchronization
import Web

/// Limits the responses with data of people that a process has open at the same time, because each
/// holds samples or a page in memory until its client has received them.
///
/// A third party may have ten. Of the slots, all third parties share a quarter for downloads beyond
/// their first one, so that at least 48 of them must act together in order to leave none for
/// another one.
package final class DownloadSlots: Sendable {
  /// The most open downloads of a process.
  package static let countMax = 64
  /// The most open downloads of one third party.
  package static let countOfThirdPartyMax = 10
  /// The most open downloads beyond the first one of each third party.
  package static let furtherMax = 16
  /// The seconds after which a refused client may try again.
  private static let retryAfter = 2

  private let counts = Mutex<[AccountID: Int]>([:])

  /// All slots free.
  package init() {}

  /// The number of open downloads.
  package var count: Int { counts.withLock { $0.values.reduce(0, +) } }

  /// A slot for a download, held as long as the returned value.
  ///
  /// - Throws: `rateLimited` if the third party has too many open downloads, `unavailable` if it
  ///   has none and others have all slots.
  package func take(for thirdParty: AccountID) throws(ApplicationError) -> DownloadSlot {
    let refusal = counts.withLock { counts -> ApplicationError? in
      let own = counts[thirdParty, default: 0]
      let total = counts.values.reduce(0, +)
      let further = total - counts.count
      let isFull = total >= Self.countMax
      if own > 0, own >= Self.countOfThirdPartyMax || further >= Self.furtherMax || isFull {
        return ApplicationError.rateLimited(
          "Too many of your downloads are open, so receive or close some of them first",
          retryAfter: Self.retryAfter)
      }
      if isFull { return ApplicationError.unavailable(retryAfter: Self.retryAfter) }
      counts[thirdParty] = own + 1
      return nil
    }
    if let refusal { throw refusal }
    return DownloadSlot { [self] in release(thirdParty) }
  }

  private func release(_ thirdParty: AccountID) {
    counts.withLock { counts in
      let left = counts[thirdParty, default: 1] - 1
      counts[thirdParty] = left == 0 ? nil : left
    }
  }
}

/// A slot for one download or archive; released explicitly, or with the last reference.
package final class DownloadSlot: Sendable {
  /// The lowest rate at which a client must receive a download, because slots are limited.
  private static let bytesPerSecondMin = 16 << 10
  /// The time over which the rate is measured.
  private static let window = Duration.seconds(60)

  private let onRelease: @Sendable () -> Void
  private let isHeld = Mutex(true)

  /// A taken slot; `onRelease` is called once.
  package init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

  deinit { release() }

  /// Cuts off the download if its client receives it too slowly.
  package func demandRate(of writer: BodyWriter) {
    writer.demand(bytesPerSecond: Self.bytesPerSecondMin, over: Self.window)
  }

  /// Releases the slot for another download.
  package func release() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { onRelease() }
  }
}
