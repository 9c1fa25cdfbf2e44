/// The difference between consecutive live pictures, usually a few small numbers per runner.
package struct LiveChanges: Hashable, Sendable {
  /// The number of the resulting picture; it applies to the previous number.
  package var number: Int64
  /// Runners whose spot has changed, as differences, by number.
  package var moved: [Moved] = []
  /// Runners who are new, or whose name, status or kind of spot has changed, in full.
  package var replaced: [Replaced] = []
  /// Runners who are no longer in the picture.
  package var removed: [Int32] = []

  /// A runner's new spot less the previous one.
  package struct Moved: Hashable, Sendable {
    /// The runner's number.
    package let runner: Int32
    /// The difference of each number of the spot.
    package let by: LiveSpot

    /// Creates a move from its parts.
    package init(runner: Int32, by: LiveSpot) {
      self.runner = runner
      self.by = by
    }
  }

  /// A runner in full.
  package struct Replaced: Hashable, Sendable {
    /// The runner's number.
    package let runner: Int32
    /// The runner's new state.
    package let with: LiveRunner

    /// Creates a replacement from its parts.
    package init(runner: Int32, with: LiveRunner) {
      self.runner = runner
      self.with = with
    }
  }

  /// Creates changes from their parts.
  package init(
    number: Int64, moved: [Moved] = [], replaced: [Replaced] = [], removed: [Int32] = []
  ) {
    self.number = number
    self.moved = moved
    self.replaced = replaced
    self.removed = removed
  }

  /// Whether there are no changes.
  package var isEmpty: Bool { moved.isEmpty && replaced.isEmpty && removed.isEmpty }
}

extension LivePicture {
  /// The changes from the previous picture to this one.
  package func changes(since before: LivePicture) -> LiveChanges {
    var changes = LiveChanges(number: number)
    for (number, runner) in runners.sorted(by: { $0.key < $1.key }) {
      guard let old = before.runners[number] else {
        changes.replaced.append(.init(runner: number, with: runner))
        continue
      }
      guard runner != old else { continue }
      if let move = old.move(to: runner) {
        changes.moved.append(.init(runner: number, by: move))
      } else {
        changes.replaced.append(.init(runner: number, with: runner))
      }
    }
    changes.removed = before.runners.keys.filter { runners[$0] == nil }.sorted()
    return changes
  }

  /// Applies changes to this picture.
  ///
  /// Throws `wrongPicture` if the changes apply to another picture, and `outOfRange` if a sum
  /// overflows. The picture is then unchanged, and must be fetched in full.
  package mutating func apply(_ changes: LiveChanges) throws(LiveChangesError) {
    guard changes.number == number &+ 1 else { throw .wrongPicture }
    var runners = runners
    for number in changes.removed {
      guard runners.removeValue(forKey: number) != nil else { throw .wrongPicture }
    }
    for replaced in changes.replaced { runners[replaced.runner] = replaced.with }
    for moved in changes.moved {
      guard let spot = runners[moved.runner]?.spot else { throw .wrongPicture }
      guard let sum = spot.moved(by: moved.by) else { throw .outOfRange }
      runners[moved.runner]?.spot = sum
    }
    self.runners = runners
    number = changes.number
  }
}

/// The reason why changes cannot be applied to a picture.
package enum LiveChangesError: DomainError {
  /// They apply to another picture.
  case wrongPicture
  /// A result is beyond the range of a picture.
  case outOfRange

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .wrongPicture: "The changes apply to another picture."
    case .outOfRange: "The changes exceed the range of a picture."
    }
  }
}

extension LiveRunner {
  /// The difference of the spots, if nothing else differs and it does not overflow.
  fileprivate func move(to new: LiveRunner) -> LiveSpot? {
    guard name == new.name, status == new.status, let spot, let goal = new.spot else { return nil }
    return goal.combined(with: spot) { $0.subtractingReportingOverflow($1) }
  }
}

extension LiveSpot {
  fileprivate func moved(by move: LiveSpot) -> LiveSpot? {
    combined(with: move) { $0.addingReportingOverflow($1) }
  }

  /// Combines each pair of numbers of two spots by an operation; nil if one overflows.
  fileprivate func combined(
    with other: LiveSpot,
    _ operation: (Int32, Int32) -> (partialValue: Int32, overflow: Bool)
  ) -> LiveSpot? {
    let latitude = operation(latitudeE5, other.latitudeE5)
    let longitude = operation(longitudeE5, other.longitudeE5)
    let metres = operation(metres, other.metres)
    let second = operation(second, other.second)
    guard !latitude.overflow, !longitude.overflow, !metres.overflow, !second.overflow
    else { return nil }
    return LiveSpot(
      latitudeE5: latitude.partialValue, longitudeE5: longitude.partialValue,
      metres: metres.partialValue, second: second.partialValue)
  }
}
