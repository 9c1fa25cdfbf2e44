import Domain
import EventLoop
import Operations
import Privacy
import Services

/// A call by voice: whom, what is spoken, and nothing else (SOS-5, SOS-6).
package struct VoiceCall: Sendable, Equatable {
  /// The emergency.
  package let id: UniversalID
  /// Which call for it this is, from 1.
  package let number: Int32
  /// The telephone of an emergency contact; nil for the emergency number.
  package let contact: PhoneNumber?
  /// What is spoken, once.
  package let sentence: String
  /// The language of it.
  package let language: EmergencyLanguage
  /// How long it rings at most.
  package let ringsFor: Duration

  /// How often it is spoken: few listeners write along the first time (facts.md, SOS: three times).
  package static let repetitions = 3
  /// The longest that speaking it once takes (facts.md, SOS).
  package static let sentenceMax = Duration.seconds(15)
  /// From picking up to the end of the last repetition, with the pauses between.
  package static let speakingMax = Duration.seconds(50)

  /// A call of its parts.
  package init(
    id: UniversalID, number: Int32, contact: PhoneNumber? = nil, sentence: String,
    language: EmergencyLanguage, ringsFor: Duration
  ) {
    self.id = id
    self.number = number
    self.contact = contact
    self.sentence = sentence
    self.language = language
    self.ringsFor = ringsFor
  }

  /// All that is spoken.
  package var text: String {
    Array(repeating: sentence, count: Self.repetitions).joined(separator: "\n")
  }
}

/// What came of a call by voice.
package enum VoiceOutcome: Sendable, Equatable {
  /// Somebody picked up and heard the message to its end, at least once.
  case answered
  /// No one did, or it could not be placed: it is placed again.
  case unanswered
  /// It was hung up, since its emergency was over.
  case withdrawn
}

/// A way to speak with somebody. What dials is an implementation of it, and there is no other
/// place to plug one in.
package protocol EmergencyVoice: Sendable {
  /// Places a call and speaks; returns when it is over, at most `ringsFor` and then `speakingMax`
  /// later. Never blocks the loop it is called on.
  ///
  /// - Parameters:
  ///   - hangUp: ends it within a second, wherever it is.
  ///   - whenPickedUp: is called once somebody has picked up, before they have heard the message;
  ///     from any thread.
  func place(
    _ call: VoiceCall, until hangUp: HangUp, whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome
}

/// Writes what would be spoken into a directory, a file an emergency, where no telephone is
/// connected. A file is never answered, so the calls continue until a hospital or the person
/// answers.
package struct VoiceFolder: EmergencyVoice {
  private let path: String
  private let log: Log
  private let pool: BlockingPool

  /// The directory at `path`, which is made with the first call.
  ///
  /// - Throws: `SystemError` when the system refuses the thread that writes.
  package init(path: String, log: Log) throws(SystemError) {
    self.path = path
    self.log = log
    pool = try BlockingPool(name: "calls", threads: 1, queueMax: 64)
  }

  /// Writes the file in one step. A failure is logged; the call counts as unanswered either way.
  package func place(
    _ call: VoiceCall, until hangUp: HangUp, whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome {
    let path = path
    do throws(BlockingPoolError) {
      let written = try await pool.run { () throws(SystemError) in
        try FileSystem.makeDirectories(path)
        try FileSystem.writeAtomically(
          "\(path)/\(call.id).txt", Array("call \(call.number)\n\(call.text)\n".utf8))
      }
      if case .failure(let error) = written {
        log.failure("write call to file failed", error, .safe("episode", call.id))
      }
    } catch {
      log.failure("write call to file failed", error, .safe("episode", call.id))
    }
    return .unanswered
  }
}
