import Domain
import JSON
import ServiceKit
import Time

/// A push message for the service worker: a title, a text, the address of the page that opens, and
/// a tag with which later messages replace it.
struct PushText {
  let title: String
  let text: String
  let address: String
  let tag: String
  let isUrgent: Bool

  /// The tag that the stages of one emergency have; nil for other messages.
  var emergencyTag: String? { tag.hasPrefix("emergency:") ? tag : nil }

  /// The call of a hospital. It names neither the person nor the place, because others may see
  /// the device.
  static func hospitalCall(in language: Language) -> PushText {
    let isItalian = language == .italian
    return PushText(
      title: isItalian ? "Chiamata di emergenza" : "Emergency call",
      text: isItalian
        ? "Una persona ha bisogno di aiuto. Apri le emergenze."
        : "A person needs help. Open the emergencies.",
      address: "/app/emergencies", tag: "call", isUrgent: true)
  }

  /// The JSON document that `Shell/worker.js` reads.
  var document: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("title", title)
      writer.field("text", text)
      writer.field("address", address)
      writer.field("tag", tag)
      writer.field("urgent", isUrgent)
    }
    return writer.bytes
  }
}

extension DecodedNotice {
  /// The message about this notice; its text names no health data.
  func pushText(
    for locale: ReaderLocale, of reader: AccountKind, about request: NoticeRequest?,
    at now: Instant
  ) -> PushText {
    PushText(
      title: kind.pushTitle(in: locale.language),
      text: text(for: locale, about: request, at: now, in: .push),
      address: pageAddress(for: reader, about: request),
      tag: emergencyID.map { "emergency:\($0)" } ?? "notice:\(number)", isUrgent: kind == .alarm)
  }

  /// The page where the reader can act, as in `Pages/notifications/noticeTarget.js`.
  private func pageAddress(for reader: AccountKind, about request: NoticeRequest?) -> String {
    let isPerson = reader == .singleUser
    switch kind {
    case .request:
      return "/app/followers?part=\(request?.isPending == true ? "pending" : "past")"
    case .answer, .ended:
      if isPerson { return "/app/followers" }
      return statedRequestID.map { "/app/history/\($0)" } ?? "/app/history"
    case .room: return "/app/data"
    case .security: return statedEvent == "devicePaired" ? "/app/devices" : "/app/programs"
    case .alarm: return "/app/sos"
    case .run: return isPerson ? "/app/myrun" : "/app/organise/runs"
    }
  }
}

extension NoticeKind {
  fileprivate func pushTitle(in language: Language) -> String {
    let (italian, english) =
      switch self {
      case .request: ("Richiesta dei tuoi dati", "Request for your data")
      case .answer: ("Risposta a una richiesta", "Answer to a request")
      case .ended: ("Abbonamento ai dati", "Subscription to data")
      case .room: ("Spazio esaurito", "Storage full")
      case .security: ("Sicurezza dell'account", "Security of the account")
      case .alarm: ("AutomatedSOS", "AutomatedSOS")
      case .run: ("Track4Run", "Track4Run")
      }
    return language == .italian ? italian : english
  }
}
