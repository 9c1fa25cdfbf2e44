import Bytes
import Domain
import EventLoop
import Operations

/// A voice call: its recipient and its text, and nothing else (SOS-5, SOS-6).
package struct VoiceCall: Sendable, Equatable {
  /// The emergency.
  package let id: UniversalID
  /// The number of the call for its emergency, from 1.
  package let number: Int32
  /// The telephone of an emergency contact; nil for the emergency number.
  package let contact: PhoneNumber?
  /// The text of one repetition.
  package let sentence: String
  /// The language of the text.
  package let language: Language
  /// The longest ringing time.
  package let ringsFor: Duration

  /// The number of repetitions: few listeners write along the first time (facts.md, SOS: three
  /// times).
  package static let repetitions = 3
  /// The longest time of one repetition (facts.md, SOS).
  package static let sentenceMax = Duration.seconds(15)
  /// From picking up to the end of the last repetition, with the pauses between.
  package static let speakingMax = Duration.seconds(50)

  /// A call of its parts.
  package init(
    id: UniversalID, number: Int32, contact: PhoneNumber? = nil, sentence: String,
    language: Language, ringsFor: Duration
  ) {
    self.id = id
    self.number = number
    self.contact = contact
    self.sentence = sentence
    self.language = language
    self.ringsFor = ringsFor
  }

  /// The text with all repetitions.
  package var text: String {
    Array(repeating: sentence, count: Self.repetitions).joined(separator: "\n")
  }
}

/// The result of a voice call.
package enum VoiceOutcome: Sendable, Equatable {
  /// The call was picked up and the message heard completely, at least once.
  case answered
  /// The call was not picked up, or could not be placed: it is placed again.
  case unanswered
  /// The call was ended because its emergency was over.
  case withdrawn
}

/// A channel for spoken messages. Every way to dial is an implementation of it; there is no other
/// extension point.
package protocol EmergencyVoice: Sendable {
  /// Places a call and speaks; returns when it is over, at most `ringsFor` and then `speakingMax`
  /// later. Never blocks the loop of its caller.
  ///
  /// - Parameters:
  ///   - cancellation: ends the call within a second, in any state.
  ///   - whenPickedUp: is called once the call is picked up, before the message was heard; from any
  ///     thread.
  func place(
    _ call: VoiceCall, until cancellation: CancellationToken,
    whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome
}

/// Writes the spoken texts into a directory, one file per emergency, if no telephone is connected.
/// A file is never answered, so the calls continue until a hospital or the person answers.
package struct VoiceFolder: EmergencyVoice {
  private let path: String
  private let log: Log
  private let pool: BlockingPool

  /// The directory at `path`, which is created with the first call.
  ///
  /// - Throws: `SystemError` when the system refuses the thread that writes.
  package init(path: String, log: Log) throws(SystemError) {
    self.path = path
    self.log = log
    pool = try BlockingPool(name: "calls", threads: 1, queueMax: 64)
  }

  /// Writes the file in one step. A failure is logged; the call counts as unanswered either way.
  package func place(
    _ call: VoiceCall, until cancellation: CancellationToken,
    whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome {
    let path = path
    do throws(BlockingPoolError) {
      let written = try await pool.run { () throws(SystemError) in
        try FileSystem.makeDirectories(path)
        try FileSystem.writeAtomically(
          "\(path)/\(call.id).txt", Array("call \(call.number)\n\(call.text)\n".utf8))
      }
      if case .failure(let error) = written {
        log.failure("write call to file failed", error, .safe("emergency", call.id))
      }
    } catch {
      log.failure("write call to file failed", error, .safe("emergency", call.id))
    }
    return .unanswered
  }
}
