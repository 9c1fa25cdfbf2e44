/// What leads from one live picture to the next: mostly a few small numbers a runner.
package struct LiveChanges: Hashable, Sendable {
  /// The number of the picture that it leads to, from the one before.
  package var number: Int64
  /// Runners whose spot is another one, as differences, by their numbers.
  package var moved: [Moved] = []
  /// Runners who are new or whose name, status or kind of spot is another one, as they are now.
  package var replaced: [Replaced] = []
  /// Runners who are no longer in the picture.
  package var gone: [Int32] = []

  /// A runner's new spot less the one before.
  package struct Moved: Hashable, Sendable {
    /// The runner's number.
    package let runner: Int32
    /// The difference in each number of the spot.
    package let by: LiveSpot

    /// A move of the given parts.
    package init(runner: Int32, by: LiveSpot) {
      self.runner = runner
      self.by = by
    }
  }

  /// A runner as a whole.
  package struct Replaced: Hashable, Sendable {
    /// The runner's number.
    package let runner: Int32
    /// What the runner is now.
    package let with: LiveRunner

    /// A replacement of the given parts.
    package init(runner: Int32, with: LiveRunner) {
      self.runner = runner
      self.with = with
    }
  }

  /// Changes of the given parts.
  package init(
    number: Int64, moved: [Moved] = [], replaced: [Replaced] = [], gone: [Int32] = []
  ) {
    self.number = number
    self.moved = moved
    self.replaced = replaced
    self.gone = gone
  }

  /// Whether the two pictures show the same.
  package var isEmpty: Bool { moved.isEmpty && replaced.isEmpty && gone.isEmpty }
}

extension LivePicture {
  /// What leads from the picture before to this one.
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
    changes.gone = before.runners.keys.filter { runners[$0] == nil }.sorted()
    return changes
  }

  /// Becomes the picture that changes lead to.
  ///
  /// Throws `wrongPicture` where they lead from another one, and `outOfRange` for a sum that is no
  /// such number: then the picture is to be asked for as a whole, and is not changed.
  package mutating func apply(_ changes: LiveChanges) throws(LiveChangesError) {
    guard changes.number == number &+ 1 else { throw .wrongPicture }
    var runners = runners
    for number in changes.gone {
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

/// Why changes do not lead on from a picture.
package enum LiveChangesError: DomainError {
  /// They begin with another picture.
  case wrongPicture
  /// They lead beyond what a picture can hold.
  case outOfRange

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .wrongPicture: "The changes begin with another picture."
    case .outOfRange: "The changes lead beyond the earth or the run."
    }
  }
}

extension LiveRunner {
  /// The differences of the spots, where nothing else differs and they can be held.
  fileprivate func move(to new: LiveRunner) -> LiveSpot? {
    guard name == new.name, status == new.status, let spot, let goal = new.spot else { return nil }
    return goal.combined(with: spot) { $0.subtractingReportingOverflow($1) }
  }
}

extension LiveSpot {
  fileprivate func moved(by move: LiveSpot) -> LiveSpot? {
    combined(with: move) { $0.addingReportingOverflow($1) }
  }

  /// The spot of what an operation makes of each pair of numbers; nil where one overflows.
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
