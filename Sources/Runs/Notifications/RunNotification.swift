import Data4HelpSync
import Domain
import InternalAPI
import ServiceKit
import Time

/// Notifications about a run, as a notice and as a mail in Italian and English (RUN-2, RUN-13,
/// R49).
package struct RunNotification: Sendable {
  /// The run's number.
  let runID: Int64
  /// The name of the run.
  let name: String
  /// The start of the run.
  let startsAt: Instant

  /// Notifications about a run with this number, name and start.
  package init(_ runID: Int64, _ name: String, startsAt: Instant) {
    self.runID = runID
    self.name = name
    self.startsAt = startsAt
  }

  /// The event of a notification.
  package enum Event: Sendable {
    /// The organiser created it.
    case created
    /// It received a path, and is listed under this code.
    case published(code: String)
    /// Its terms changed; the texts describe the changes in both languages.
    case changed(italian: [String], english: [String])
    /// It will not take place.
    case cancelled
    /// The runner is enrolled under this number.
    case joined(number: Int32)
    /// The runner left.
    case left
    /// The runner had not checked in by the start.
    case removed
    /// The run was moved to a time at which the runner is enrolled in another.
    case movedAway
    /// The runner is on the course, and positions stopped arriving.
    case signalLost
    /// The company organises the run too.
    case coOrganiserNamed
    /// The company organises the run no longer.
    case coOrganiserStruckOff
  }

  /// The order that notifies these accounts.
  package func order(_ event: Event, to accounts: [AccountID]) -> OutboxOrder {
    let words = words(of: event)
    let mail = ReaderMail(
      italian: MailText(subject: "TrackMe: \(words.subject.italian)", text: words.italian),
      english: MailText(subject: "TrackMe: \(words.subject.english)", text: words.english))
    return .notice(NoticeOrder(to: accounts, facts: facts(of: event), mail: mail))
  }

  private func facts(of event: Event) -> [String: String] {
    var facts = [
      "event": event.apiName, "runID": runID.description, "runName": name,
      "startTime": startsAt.description,
    ]
    switch event {
    case .published(let code): facts["code"] = code
    case .joined(let number): facts["number"] = number.description
    case .created, .changed, .cancelled, .left, .removed, .movedAway, .signalLost,
      .coOrganiserNamed, .coOrganiserStruckOff:
      break
    }
    return facts
  }

  /// The texts in both languages.
  private typealias Words = (
    subject: (italian: String, english: String), italian: String, english: String
  )

  private func words(of event: Event) -> Words {
    let time = ReaderMail.marked(startsAt)
    let (run, corsa) = ("the run \(quoted) of \(time)", "la corsa \(quoted) del \(time)")
    return switch event {
    case .created:
      (
        ("corsa creata", "run created"),
        "Hai creato \(corsa).\nSarà nell'elenco quando ne avrai disegnato il percorso.",
        "You created \(run).\nIt will be in the list once you have drawn its path."
      )
    case .published(let code):
      (
        ("corsa pubblicata", "run published"),
        "Il percorso è salvato: \(corsa)\nè nell'elenco con il codice \(code).",
        "The path is stored: \(run)\nis in the list under the code \(code)."
      )
    case .changed(let italian, let english):
      (
        ("corsa modificata", "run changed"),
        "È cambiata \(corsa):\n\(italian.joined(separator: "\n"))",
        "Changed: \(run):\n\(english.joined(separator: "\n"))"
      )
    case .cancelled:
      (
        ("corsa annullata", "run cancelled"), "È stata annullata \(corsa).",
        "Cancelled: \(run)."
      )
    case .joined(let number):
      (
        ("iscrizione", "enrolment"),
        "Ora partecipi: \(corsa).\nIl tuo numero è \(number). "
          + "Prima della partenza ti chiederemo la posizione: accetta, o non potrai partecipare.",
        "You now take part: \(run).\nYour number is \(number). "
          + "Before the start we will ask for your position: accept, or you cannot take part."
      )
    case .left:
      (
        ("iscrizione annullata", "enrolment ended"), "Non partecipi più: \(corsa).",
        "You no longer take part: \(run)."
      )
    case .removed:
      (
        ("corsa senza di te", "run without you"),
        "È partita \(corsa).\nNon avevi confermato la presenza: non partecipi più.",
        "It has started: \(run).\nYou had not checked in, so you no longer take part."
      )
    case .movedAway:
      (
        ("corsa spostata", "run moved"),
        "È stata spostata \(corsa):\na quell'ora partecipi già a un'altra corsa. "
          + "Il tuo posto in questa è stato liberato; se la preferisci, lascia l'altra "
          + "e iscriviti di nuovo.",
        "Moved: \(run),\na time at which you are in another run. Your place in this one was "
          + "released; if you prefer it, leave the other one and join again."
      )
    case .signalLost: lostSignalWords(run, corsa)
    case .coOrganiserNamed:
      (
        ("organizzate insieme", "you organise together"),
        "Ora organizzi anche tu \(corsa).\nSe non vuoi, puoi togliere la tua azienda.",
        "Your company is now a co-organiser: \(run).\nYou can remove it if you do not want this."
      )
    case .coOrganiserStruckOff:
      (
        ("non organizzi più", "you no longer organise"), "Non organizzi più \(corsa).",
        "You no longer organise it: \(run)."
      )
    }
  }

  private func lostSignalWords(_ run: String, _ corsa: String) -> Words {
    (
      ("la tua posizione non arriva", "your position does not arrive"),
      "Da due minuti non riceviamo la tua posizione: \(corsa).\n"
        + "Controlla che il telefono sia acceso e abbia campo. Le posizioni che ha conservato "
        + "contano appena arrivano; se ti sei fermato, non devi fare nulla.",
      "Your position has not arrived for two minutes: \(run).\n"
        + "Check that your phone is on and has a signal. Positions that it has stored count as "
        + "soon as they arrive; if you have stopped, you need not do anything."
    )
  }

  private var quoted: String { "“\(name.unlinked.quotable)”" }
}

extension RunNotification.Event {
  /// The notice's `event` in the API.
  fileprivate var apiName: String {
    switch self {
    case .created: "created"
    case .published: "published"
    case .changed: "changed"
    case .cancelled: "cancelled"
    case .joined: "joined"
    case .left: "left"
    case .removed: "not checked in"
    case .movedAway: "moved away"
    case .signalLost: "signal lost"
    case .coOrganiserNamed: "co-organiser"
    case .coOrganiserStruckOff: "no longer co-organiser"
    }
  }
}
