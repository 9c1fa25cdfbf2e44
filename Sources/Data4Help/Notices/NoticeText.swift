import Domain
import JSON
import Services

/// A notice as a sentence for its reader, in the language and time zone of the account: the company
/// or run it is about, what was asked or answered, until when (NTF-3). Health values are in none.
struct NoticeText {
  let kind: NoticeKind
  let facts: NoticeFacts
  let locale: ReaderLocale
  /// The company that the request of a notice is of, where the notice does not name it.
  var company: String?
  /// Whether mail programs read it, which make links of names that look like an address.
  var isMailed = false

  /// The text of a payload; one that can't be read says its kind alone.
  static func of(
    _ kind: NoticeKind, _ payload: [UInt8], for locale: ReaderLocale, company: String? = nil,
    isMailed: Bool = false
  ) -> String {
    do throws(JSONError) {
      let facts = try JSONReader.read(NoticeFacts.self, from: payload)
      return NoticeText(
        kind: kind, facts: facts, locale: locale, company: company, isMailed: isMailed
      ).text
    } catch {
      return kind.words(in: locale.language)
    }
  }

  /// The sentence.
  var text: String {
    switch kind {
    case .request: facts.texts["runName"] == nil ? request : checkIn
    case .answer: answer
    case .ended: ended
    case .run: run ?? kind.words(in: locale.language)
    case .room: room
    case .security, .alarm: kind.words(in: locale.language)
    }
  }

  private func either(_ italian: String, _ english: String) -> String {
    locale.language == .italian ? italian : english
  }

  private func name(_ key: String) -> String {
    let name = facts.texts[key] ?? ""
    return isMailed ? name.unlinked : name
  }

  /// The time of a field, as people write it.
  private func time(_ key: String) -> String {
    guard let text = facts.texts[key], let time = try? Timestamp(utf8: text.utf8Span.span)
    else { return "" }
    return locale.text(time)
  }

  private func types(_ key: String = "dataTypes") -> String {
    (facts.lists[key] ?? []).joined(separator: ", ")
  }

  // MARK: Requests

  private var request: String {
    let company = name("company_name")
    let extent =
      facts.subscribing
      ? either("anche quelli nuovi", "new ones too") : either("una volta sola", "once")
    let what = "\(types()) (\(extent))"
    guard facts.texts["status"] == SingleRequestStatus.pending.rawValue else {
      return either(
        "\(company) ha chiesto \(what); l'avevi accettato in anticipo.",
        "\(company) asked for \(what); you had accepted that in advance.")
    }
    let until = time("expiresAt")
    return either(
      "\(company) chiede \(what). Rispondi entro il \(until).",
      "\(company) asks for \(what). Answer by \(until).")
  }

  private var checkIn: String {
    let (company, run) = (name("company_name"), "“\(name("runName"))”")
    let (code, start, until) = (name("code"), time("startTime"), time("expiresAt"))
    return either(
      "\(company) ti chiede di confermare la presenza alla corsa \(run) (codice \(code)) del "
        + "\(start): \(types()). Se accetti, vede anche il tuo nome e la tua email. Rispondi entro "
        + "il \(until), o non partecipi.",
      "\(company) asks you to check in to the run \(run) (code \(code)) of \(start): \(types()). "
        + "If you accept, it also sees your name and email. Answer by \(until), or you take no "
        + "part."
    )
  }

  /// The request that a notice is about, with its company where that is known.
  private var subject: String {
    let company = facts.texts["company_name"] ?? company
    if let company {
      let name = isMailed ? company.unlinked : company
      return either("La richiesta di \(name)", "The request of \(name)")
    }
    return either("La richiesta \(name("reqID"))", "Request \(name("reqID"))")
  }

  private var answer: String {
    switch facts.texts["status"].flatMap(SingleRequestStatus.init(rawValue:)) {
    case .accepted, .paymentDue:
      let end = facts.texts["endsAt"] == nil ? "" : either(" fino al ", " until ") + time("endsAt")
      let what = types("acceptedTypes") + end
      return either("\(subject) è stata accettata: \(what).", "\(subject) was accepted: \(what).")
    case .declined: return either("\(subject) è stata rifiutata.", "\(subject) was declined.")
    case .expired:
      return either(
        "\(subject) è scaduta senza risposta.", "\(subject) has expired without an answer.")
    case .ended, .pending, nil: return ended
    }
  }

  private var ended: String {
    if facts.texts["status"] == SingleRequestStatus.accepted.rawValue {
      if facts.texts["endsAt"] != nil {
        return either(
          "\(subject) finisce il \(time("endsAt")).", "\(subject) ends on \(time("endsAt")).")
      }
      return either(
        "\(subject): per ora non arrivano \(types()).", "\(subject): no \(types()) for now.")
    }
    let reason = facts.texts["reason"].flatMap(SingleRequest.EndReason.init(rawValue:))
    return either("\(subject) è finita", "\(subject) has ended")
      + (reason.map { ": \($0.words(in: locale.language))." } ?? ".")
  }

  private var room: String {
    either(
      "Lo spazio per i tuoi dati è esaurito: le misure più vecchie sono state tolte "
        + "(\(facts.dropped ?? 0)).",
      "The room for your data is used up: the oldest samples made way (\(facts.dropped ?? 0)).")
  }

  // MARK: Runs

  private var run: String? {
    let (run, corsa) = (
      "the run “\(name("runName"))” of \(time("startTime"))",
      "la corsa “\(name("runName"))” del \(time("startTime"))"
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
    case "left": either("Non partecipi più: \(corsa).", "You take part no longer: \(run).")
    case "not checked in":
      either(
        "È partita senza di te \(corsa): non avevi confermato la presenza.",
        "Begun without you, since you had not checked in: \(run).")
    case "moved away":
      either(
        "È stata spostata a un'ora in cui partecipi già a un'altra: \(corsa).",
        "Moved to a time at which you are in another run: \(run).")
    case "signal lost":
      either(
        "La tua posizione non arriva da due minuti: \(corsa).",
        "No position of yours has come for two minutes: \(run).")
    case "co-organiser": either("Ora organizzi anche tu \(corsa).", "You organise too: \(run).")
    case "no longer co-organiser":
      either("Non organizzi più \(corsa).", "You organise no longer: \(run).")
    default: nil
    }
  }
}

extension SingleRequest.EndReason {
  fileprivate func words(in language: Language) -> String {
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
  /// What a notice of this kind is about, in a few words.
  func words(in language: Language) -> String { language == .italian ? italian : english }

  private var english: String {
    switch self {
    case .request: "Somebody asks for your data."
    case .answer: "A request was answered or has expired."
    case .ended: "A subscription has ended, or will soon."
    case .room: "The room for your data is used up."
    case .security: "Something about the safety of your account."
    case .alarm: "An alarm of AutomatedSOS."
    case .run: "Something about a run."
    }
  }

  private var italian: String {
    switch self {
    case .request: "Qualcuno chiede i tuoi dati."
    case .answer: "Una richiesta ha avuto risposta o è scaduta."
    case .ended: "Una sottoscrizione è finita o sta per finire."
    case .room: "Lo spazio per i tuoi dati è esaurito."
    case .security: "Qualcosa sulla sicurezza del tuo account."
    case .alarm: "Un allarme di AutomatedSOS."
    case .run: "Qualcosa su una corsa."
    }
  }
}
