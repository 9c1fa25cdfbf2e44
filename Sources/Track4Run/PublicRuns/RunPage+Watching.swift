import Domain
import EventLoop
import HTTP
import Services

// The parts of the page about joining and watching a run (RUN-4).
extension RunPage {
  /// Links for joining, while enrolment is possible, and for watching.
  var invitation: String {
    var links: [String] = []
    if run.isJoinable(at: now) {
      links.append("<a href=\"#join\">\(Self.both("Partecipa", "Join as a runner"))</a>")
    }
    links.append(
      "<a href=\"\(run.code)?watch=1#watch\">\(Self.both("Guarda la corsa", "Watch the run"))</a>")
    return """
      <nav>\(links.joined(separator: " · "))</nav>
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
    return """
      <section id="join"><h2>\(Self.both("Partecipa", "Join as a runner"))</h2>
      <p>Accedi a TrackMe, o registrati, e iscriviti con il codice <strong>\(run.code)</strong> \
      entro il \(time(run.enrolUntil)).</p>
      <p lang="en">Log in to TrackMe, or sign up, and join with the code \
      <strong>\(run.code)</strong> by \(time(run.enrolUntil)).</p>
      \(clauses)</section>

      """
  }

  /// The runners as shown to spectators now.
  struct Live {
    /// The interval at which browsers reload the page, in seconds.
    private static let refreshSeconds = 5

    private let frame: LiveFrame

    init(_ frame: LiveFrame) { self.frame = frame }

    /// The tag that makes browsers reload the page while the run can be watched.
    var refresh: String {
      frame.isOver ? "" : "<meta http-equiv=\"refresh\" content=\"\(Self.refreshSeconds)\">\n"
    }

    /// The table of runners, and the number of spectators.
    var html: String {
      let rows = frame.forSpectators.map { standing in
        let place = standing.shownPlace.map { "\($0)" } ?? ""
        let isShown = standing.status != .paused
        let distance =
          isShown ? standing.statistics.map { RunPage.kilometres($0.metres) } ?? "" : ""
        let time =
          isShown ? standing.statistics.map { RunPage.duration(Int64($0.seconds)) } ?? "" : ""
        return "<tr><td>\(place)</td><td><bdi>\(HTMLText.escaped(standing.entry.name))</bdi></td>"
          + "<td>\(RunPage.word(for: standing.status))</td>"
          + "<td>\(distance)</td><td>\(time)</td></tr>\n"
      }
      return """
        <section id="watch"><h2>\(RunPage.both("In diretta", "Live"))</h2>
        <p>\(RunPage.both("Spettatori", "Watching")): \(frame.watching)</p>
        <table>
        \(rows.joined())</table></section>

        """
    }
  }

  fileprivate static func word(for status: LiveStatus) -> String {
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
  fileprivate func isJoinable(at now: WallTime) -> Bool {
    state(at: now) == .open && now < enrolUntil && enrolled < participantsMax
  }
}
