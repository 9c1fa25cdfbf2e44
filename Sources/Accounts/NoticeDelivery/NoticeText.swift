import AutomatedSOS
import Domain
import ServiceKit
import Time

/// Where a notice is read.
package enum NoticeMedium: Sendable {
  /// The list and the stream of the account.
  case page
  /// A mail program, which turns names that look like addresses into links.
  case mail
  /// The screen of a device that others may see: the text names no types of data.
  case push
}

/// A notice as a sentence for its reader, in the language and time zone of the account: the company
/// or run it concerns, the question or answer, and the deadline (NTF-3). No text contains health
/// values.
struct NoticeText {
  let kind: NoticeKind
  let facts: NoticeFacts
  let locale: ReaderLocale
  /// The time of reading: past deadlines are omitted.
  let now: Instant
  /// The request that it is about, in its present state.
  var request: NoticeRequest?
  var medium = NoticeMedium.page

  /// The sentence; nil for an unknown event, stage or status.
  var text: String? {
    switch kind {
    case .request: request.map { $0.run == nil ? asked($0) : checkIn($0) }
    case .answer: answer
    case .ended: ended
    case .run: run
    case .room: room
    case .security: SecurityEvent(facts)?.sentence(for: locale)
    case .alarm: alarm
    }
  }

  private func either(_ italian: String, _ english: String) -> String {
    locale.language == .italian ? italian : english
  }

  private func name(_ key: String) -> String { free(facts.texts[key] ?? "") }

  /// A name that a person or company chose.
  private func free(_ name: String) -> String { medium == .mail ? name.unlinked : name }

  /// The time of a field, formatted for people; empty for a notice without one.
  private func time(_ key: String) -> String { facts.times[key].map(locale.text) ?? "" }

  /// The names of the types in a field, in lower case for use within a sentence.
  private func types(_ key: String = "dataTypes") -> String { types(facts.lists[key] ?? []) }

  private func types(_ words: [String]) -> String {
    guard medium != .push else { return either("dati", "data") }
    let names = words.map { word in
      guard let name = DataType(name: word)?.localizedName else { return word }
      return either(name.italian, name.english).lowercased()
    }
    return names.joined(separator: ", ")
  }

  // MARK: Requests

  private func asked(_ request: NoticeRequest) -> String {
    let (company, terms) = (free(request.companyName), request.single.terms)
    let extent =
      terms.subscribing
      ? either("anche i dati nuovi", "new data too") : either("una volta sola", "once")
    let what = "\(types(terms.types.map(\.name))) (\(extent))"
    guard facts.texts["status"] == SingleRequestStatus.pending.rawValue else {
      return either(
        "\(company) ha chiesto \(what); l'avevi accettato in anticipo.",
        "\(company) asked for \(what); you had accepted it in advance.")
    }
    guard request.isPending else {
      let outcome = outcome(of: request.single.status)
      return either(
        "\(company) ha chiesto \(what): \(outcome).", "\(company) asked for \(what): \(outcome).")
    }
    let until = locale.text(request.single.expiresAt)
    return either(
      "\(company) chiede \(what). Rispondi entro il \(until).",
      "\(company) asks for \(what). Answer by \(until).")
  }

  /// The data that the company will see comes first, before any text by other people.
  private func checkIn(_ request: NoticeRequest) -> String {
    let (single, company) = (request.single, free(request.companyName))
    let (name, code) = (free(request.run?.name ?? "").quotable, request.run?.code ?? "")
    let start = single.terms.from.map(locale.text) ?? ""
    let run = either(
      "alla corsa “\(name)” (codice \(code)) del \(start)",
      "to the run “\(name)” (code \(code)) of \(start)")
    guard request.isPending else {
      let outcome = outcome(of: single.status)
      return either(
        "\(company) ti ha chiesto di confermare la presenza \(run): \(outcome).",
        "\(company) asked you to check in \(run): \(outcome).")
    }
    let (what, until) = (types(single.terms.types.map(\.name)), locale.text(single.expiresAt))
    guard medium != .push else {
      return either(
        "\(company) ti chiede di confermare la presenza \(run). Rispondi entro il \(until).",
        "\(company) asks you to check in \(run). Answer by \(until).")
    }
    return either(
      "Se accetti, l'azienda vede il tuo nome, la tua email e questi dati: \(what). Rispondi entro "
        + "il \(until), o non potrai partecipare. \(company) ti chiede di confermare la presenza "
        + "\(run).",
      "If you accept, the company sees your name, your email and this data: \(what). Answer by "
        + "\(until), or you cannot take part. \(company) asks you to check in \(run).")
  }

  /// The outcome of a request that was waiting for an answer.
  private func outcome(of status: SingleRequestStatus) -> String {
    switch status {
    case .accepted, .paymentDue: either("hai accettato", "you accepted")
    case .declined: either("hai rifiutato", "you declined")
    case .pending, .expired:
      either("non si può più rispondere", "you can no longer answer")
    case .ended: either("la richiesta è finita", "the request has ended")
    }
  }

  /// The request that a notice is about, with its company if the reader is the person it was sent
  /// to. A company finds the person on the page of the request, not in mails and on locked screens;
  /// the identifier would tell people nothing.
  private var subject: String {
    if let request {
      let name = free(request.companyName)
      return either("La richiesta di \(name)", "The request from \(name)")
    }
    return either("Una richiesta di dati", "A request for data")
  }

  private var answer: String? {
    switch facts.texts["status"].flatMap(SingleRequestStatus.init(rawValue:)) {
    case .accepted, .paymentDue:
      let end = facts.times["endsAt"] == nil ? "" : either(" fino al ", " until ") + time("endsAt")
      guard medium != .push else {
        return either("\(subject) è stata accettata\(end).", "\(subject) was accepted\(end).")
      }
      let what = types("acceptedTypes") + end
      return either("\(subject) è stata accettata: \(what).", "\(subject) was accepted: \(what).")
    case .declined: return either("\(subject) è stata rifiutata.", "\(subject) was declined.")
    case .expired:
      return either(
        "\(subject) è scaduta senza risposta.", "\(subject) has expired without an answer.")
    case .ended, .pending: return ended
    case nil: return nil
    }
  }

  private var ended: String {
    if facts.texts["status"] == SingleRequestStatus.accepted.rawValue {
      if facts.times["endsAt"] != nil {
        return either(
          "\(subject) finisce il \(time("endsAt")).", "\(subject) ends on \(time("endsAt")).")
      }
      return either(
        "\(subject): per ora non arrivano \(types()).", "\(subject): no \(types()) for now.")
    }
    let reason = facts.texts["reason"].flatMap(SingleRequest.EndReason.init(rawValue:))
    return either("\(subject) è finita", "\(subject) has ended")
      + (reason.map { ": \($0.text(in: locale.language))." } ?? ".")
  }

  private var room: String {
    either(
      "Lo spazio per i tuoi dati è esaurito: le misure più vecchie sono state tolte "
        + "(\(facts.dropped ?? 0)).",
      "The storage for your data is full: the oldest samples were removed (\(facts.dropped ?? 0)).")
  }

  // MARK: Alarms

  // Without the rule that raised the alarm: a mail must not reveal the person's health to its
  // readers.
  private var alarm: String? {
    guard let word = facts.texts["stage"] else { return nil }
    if word == DecodedNotice.silentStage {
      guard facts.times["since"] != nil else {
        return either(
          "Dai tuoi dispositivi non arrivano dati.", "Your devices are sending no data.")
      }
      return either(
        "Dal \(time("since")) dai tuoi dispositivi non arrivano dati.",
        "Your devices have sent no data since \(time("since")).")
    }
    let subject =
      facts.isDrill
      ? either("Esercitazione di AutomatedSOS", "Drill of AutomatedSOS")
      : either("Emergenza", "Emergency")
    return EmergencyStage(apiName: word).map { "\(subject): \(text(of: $0))." }
  }

  /// The deadline of a field to the second, after a verb; empty for a notice without one. Nil for a
  /// past deadline.
  private func until(_ key: String) -> String? {
    guard let end = facts.times[key] else { return "" }
    return end > now ? either(" entro il ", " by ") + locale.textToSecond(end) : nil
  }

  private func text(of stage: EmergencyStage) -> String {
    switch stage {
    case .suspected:
      until("abortUntil").map { either("puoi annullarla", "you can abort it") + $0 }
        ?? either(
          "era sospetta, e finora nulla l'ha confermata",
          "it was suspected, and nothing has confirmed it so far")
    case .confirmed:
      until("abortUntil").map { either("puoi annullarla", "you can abort it") + $0 }
        ?? either(
          "è stata confermata, e il tempo per annullarla è passato",
          "it was confirmed, and the time to abort it is over")
    case .asked:
      until("answerBy").map { either("rispondi", "answer") + $0 }
        ?? either(
          "ti è stato chiesto come stai, e non hai risposto in tempo",
          "you were asked how you are, and did not answer in time")
    case .dispatched: either("i soccorsi vengono chiamati", "help is being called")
    case .acknowledged: either("un ospedale l'ha presa in carico", "a hospital has accepted it")
    case .closed: either("l'ospedale l'ha chiusa", "the hospital has closed it")
    case .withdrawn:
      either("i valori sono di nuovo normali", "the readings are in bounds again")
    case .aborted: either("l'hai annullata", "you aborted it")
    case .falseAlarm: either("era un falso allarme", "it was a false alarm")
    case .drillOver: either("è finita", "it is over")
    case .unanswered: either("nessuno ha risposto", "there was no answer")
    }
  }

  // MARK: Runs

  private var run: String? {
    let (run, corsa) = (
      "the run “\(name("runName").quotable)” of \(time("startTime"))",
      "la corsa “\(name("runName").quotable)” del \(time("startTime"))"
    )
    return switch facts.texts["event"] {
    case "created": either("Hai creato \(corsa).", "You created \(run).")
    case "published":
      either(
        "È nell'elenco con il codice \(name("code")) \(corsa).",
        "In the list under the code \(name("code")): \(run).")
    case "changed": either("È cambiata \(corsa).", "Changed: \(run).")
    case "cancelled": either("È stata annullata \(corsa).", "Cancelled: \(run).")
    case "joined":
      either(
        "Partecipi con il numero \(name("number")): \(corsa).",
        "You take part with the number \(name("number")): \(run).")
    case "left": either("Non partecipi più: \(corsa).", "You no longer take part: \(run).")
    case "not checked in":
      either(
        "È partita senza di te \(corsa): non avevi confermato la presenza.",
        "Started without you, because you had not checked in: \(run).")
    case "moved away":
      either(
        "È stata spostata a un'ora in cui partecipi già a un'altra: \(corsa).",
        "Moved to a time at which you are in another run: \(run).")
    case "signal lost":
      either(
        "La tua posizione non arriva da due minuti: \(corsa).",
        "Your position has not arrived for two minutes: \(run).")
    case "co-organiser":
      either("Ora organizzi anche tu \(corsa).", "You are now a co-organiser: \(run).")
    case "no longer co-organiser":
      either("Non organizzi più \(corsa).", "You no longer organise it: \(run).")
    default: nil
    }
  }
}

extension SingleRequest.EndReason {
  fileprivate func text(in language: Language) -> String {
    let (italian, english) =
      switch self {
      case .singleUser: ("l'ha terminata la persona", "the person ended it")
      case .thirdParty: ("l'ha terminata l'azienda", "the company ended it")
      case .periodOver: ("il periodo è finito", "its period is over")
      case .noData: ("non ci sono più dati", "there is no data left")
      case .accountDeleted: ("l'account è stato eliminato", "the account was deleted")
      }
    return language == .italian ? italian : english
  }
}

extension NoticeKind {
  /// The subject of a notice of this kind, in a few words.
  func text(in language: Language) -> String { language == .italian ? italian : english }

  private var english: String {
    switch self {
    case .request: "A company asks for your data."
    case .answer: "A request was answered or has expired."
    case .ended: "A subscription has ended, or will soon."
    case .room: "The storage for your data is full."
    case .security: "News about the security of your account."
    case .alarm: "An alarm of AutomatedSOS."
    case .run: "News about a run."
    }
  }

  private var italian: String {
    switch self {
    case .request: "Un'azienda chiede i tuoi dati."
    case .answer: "Una richiesta ha avuto risposta o è scaduta."
    case .ended: "Un abbonamento è finito o sta per finire."
    case .room: "Lo spazio per i tuoi dati è esaurito."
    case .security: "Una novità sulla sicurezza del tuo account."
    case .alarm: "Un allarme di AutomatedSOS."
    case .run: "Una novità su una corsa."
    }
  }
}
