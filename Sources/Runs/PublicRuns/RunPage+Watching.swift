import Domain
import ServiceKit
import Time
import Web

// The parts of the page about joining and watching a run (RUN-4).
extension RunPage {
  /// Links for joining, while enrolment is possible, and to the standings.
  var invitation: String {
    var links: [String] = []
    if run.isJoinable(at: now) {
      links.append("<a href=\"#join\">\(Self.both("Partecipa", "Join as a runner"))</a>")
    }
    let words =
      isEnded
      ? Self.both("Guarda com'è finita", "See how it ended")
      : Self.both("Guarda la corsa", "Watch the run")
    links.append("<a href=\"\(run.code)?watch=1#watch\">\(words)</a>")
    return """
      <nav>\(links.joined())</nav>
      \(joining)
      """
  }

  private var joining: String {
    guard run.isJoinable(at: now) else { return "" }
    let clauses =
      run.clauses.map { text in
        """
        <details><summary>\(Self.both("Clausole da accettare", "Clauses to accept"))\
         (\(run.clausesVersion ?? 0))</summary>
        <p class="text" dir="auto">\(HTMLText.escaped(text))</p></details>

        """
      } ?? ""
    let page = "/app/runs/\(run.code)#join"
    return """
      <section id="join"><h2>\(Self.both("Partecipa", "Join as a runner"))</h2>
      <p><a href="\(page)">Iscriviti</a> entro il \(time(run.enrolUntil)), anche con il codice \
      <strong>\(run.code)</strong>.</p>
      <p lang="en"><a href="\(page)">Join</a> by \(time(run.enrolUntil)), also with the code \
      <strong>\(run.code)</strong>.</p>
      \(clauses)</section>

      """
  }

  /// Returns the runners of a run as shown to spectators now; nil for a run that is not listed.
  package typealias LiveReader =
    @Sendable (_ runID: Int64) async throws(ApplicationError) -> Live?

  /// The runners as shown to spectators now.
  package struct Live: Sendable {
    /// A runner, in the order of the page.
    package struct Runner: Sendable {
      /// The place, if spectators see it.
      let place: Int32?
      let name: String
      let status: LiveStatus
      /// Nil before the start.
      let statistics: RunStatistics?

      /// Creates a runner from its parts.
      package init(place: Int32?, name: String, status: LiveStatus, statistics: RunStatistics?) {
        self.place = place
        self.name = name
        self.status = status
        self.statistics = statistics
      }
    }

    /// The interval at which browsers reload the page, in seconds.
    private static let refreshSeconds = 5

    private let runners: [Runner]
    private let watching: Int
    private let isOver: Bool

    /// Creates the content from its parts; `watching` is the number of spectators.
    package init(_ runners: [Runner], watching: Int, isOver: Bool) {
      self.runners = runners
      self.watching = watching
      self.isOver = isOver
    }

    /// The tag that makes browsers reload the page while the run can be watched.
    var refresh: String {
      isOver ? "" : "<meta http-equiv=\"refresh\" content=\"\(Self.refreshSeconds)\">\n"
    }

    /// The table of runners; before the end also the number of spectators.
    func html(isEnded: Bool) -> String {
      let heading =
        isEnded
        ? RunPage.both("Alla fine della corsa", "At the end of the run")
        : RunPage.both("In diretta", "Live")
      let spectators =
        isEnded ? "" : "<p>\(RunPage.both("Spettatori", "Watching")): \(watching)</p>\n"
      let rows = runners.map { runner in
        let place = runner.place.map { "\($0)" } ?? ""
        let isShown = runner.status != .paused
        let distance =
          isShown ? runner.statistics.map { RunPage.kilometres($0.metres) } ?? "" : ""
        let time =
          isShown ? runner.statistics.map { RunPage.duration(Int64($0.seconds)) } ?? "" : ""
        return "<tr><td>\(place)</td><td><bdi>\(HTMLText.escaped(runner.name))</bdi></td>"
          + "<td>\(RunPage.label(for: runner.status))</td>"
          + "<td>\(distance)</td><td>\(time)</td></tr>\n"
      }
      return """
        <section id="watch"><h2>\(heading)</h2>
        \(spectators)<table>
        \(rows.joined())</table></section>

        """
    }
  }

  fileprivate static func label(for status: LiveStatus) -> String {
    switch status {
    case .checkedIn: both("alla partenza", "at the start")
    case .running: both("in corsa", "running")
    case .offCourse: both("fuori percorso", "off course")
    case .signalLost: both("senza segnale", "signal lost")
    case .finished: both("arrivato", "finished")
    case .paused: both("in pausa", "paused")
    case .didNotStart: both("non partito", "did not start")
    case .didNotFinish: both("ritirato", "did not finish")
    }
  }
}

extension PublicRun {
  /// Whether enrolment is open and a place is free.
  fileprivate func isJoinable(at now: Instant) -> Bool {
    state(at: now) == .open && now < enrolUntil && enrolled < participantsMax
  }
}
