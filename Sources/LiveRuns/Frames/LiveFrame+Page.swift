import Domain
import Runs

extension RunPage.Live {
  /// The runners of a frame, as spectators see them.
  init(_ frame: LiveFrame) {
    let runners = frame.forSpectators.map { standing in
      Runner(
        place: standing.shownRank, name: standing.entry.name, status: standing.status,
        statistics: standing.statistics)
    }
    self.init(runners, watching: frame.watching, isOver: frame.isOver)
  }
}
