import Domain
import EventLoop
import Operations
import Privacy

/// A call to the emergency number by voice: what is spoken, and nothing else (SOS-5).
package struct VoiceCall: Sendable, Equatable {
  /// The emergency.
  package let id: UniversalID
  /// Which call for it this is, from 1.
  package let number: Int32
  /// The message, in one language.
  package let text: String

  /// Spoken so often, since nobody writes along at the first time (facts.md, SOS: three times).
  static let repetitions = 3

  /// The message of an emergency at a time: what, where, who by age and sex; no name, no fiscal
  /// code, since whoever answers needs neither to send somebody.
  init(
    _ message: EmergencyMessage, number: Int32, in language: EmergencyLanguage,
    on today: CalendarDate, at time: Timestamp
  ) {
    id = message.row.id
    self.number = number
    let age = message.birthDate.map { BirthDate(stored: $0).age(on: today).description } ?? "?"
    let place = message.place(in: language, at: time)
    let rule = message.row.rule.words(in: language)
    let sentence =
      switch language {
      case .italian:
        "Emergenza sanitaria, messaggio automatico. Persona di \(age) anni: \(rule). \(place)."
      case .english:
        "Medical emergency, automatic message. A person of \(age) years: \(rule). \(place)."
      }
    text = Array(repeating: sentence, count: Self.repetitions).joined(separator: "\n")
  }

  /// A call of its parts.
  package init(id: UniversalID, number: Int32, text: String) {
    self.id = id
    self.number = number
    self.text = text
  }
}

/// What came of a call by voice.
package enum VoiceOutcome: Sendable, Equatable {
  /// Somebody answered and heard the message.
  case answered
  /// Nobody did, or it could not be placed: it is placed again.
  case unanswered
}

/// A way to the emergency number.
package protocol EmergencyVoice: Sendable {
  /// Places a call and speaks; returns when it is over.
  func place(_ call: VoiceCall) async -> VoiceOutcome
}

/// Writes what would be spoken into a directory, a file an emergency, where no telephone is
/// connected: nobody answers a file, so the calls go on until a hospital or the person does.
package struct VoiceFolder: EmergencyVoice {
  private let path: String
  private let pool: BlockingPool

  /// The directory at `path`, which is made with the first call.
  ///
  /// - Throws: `SystemError` when the system refuses the thread that writes.
  package init(path: String) throws(SystemError) {
    self.path = path
    pool = try BlockingPool(name: "calls", threads: 1, queueMax: 64)
  }

  /// Writes the file in one step; a failure is an unanswered call.
  package func place(_ call: VoiceCall) async -> VoiceOutcome {
    let path = path
    do throws(BlockingPoolError) {
      _ = try await pool.run { () throws(SystemError) in
        try FileSystem.makeDirectories(path)
        try FileSystem.writeAtomically(
          "\(path)/\(call.id).txt", Array("call \(call.number)\n\(call.text)\n".utf8))
      }
    } catch { return .unanswered }
    return .unanswered
  }
}
