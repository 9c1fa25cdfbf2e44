import CLinux
import Domain
import EventLoop
import Operations
import Time

/// Converts a sentence to sound with espeak-ng. The sentence is passed on its standard input, so
/// that no other user of the machine sees it among the arguments.
package struct Speech: Sendable {
  /// The pace in words per minute.
  package static let usualPace = 170
  /// The fastest intelligible pace.
  static let paceMax = 280
  /// The longest time for a conversion; one takes a tenth of a second.
  private static let timeMax = Duration.seconds(10)
  /// The longest output; a minute of its sound is 2.6 MB.
  private static let bytesMax = 8 << 20

  /// The path of espeak-ng.
  let program: String

  /// Speech of the espeak-ng at a path.
  package init(program: String = SIPTelephone.Programs.debian.espeak) { self.program = program }

  /// The sentence as sound of at most 15 s: spoken faster if it would be longer, up to `paceMax`.
  ///
  /// - Throws: `notSpoken`.
  package func sound(
    of sentence: String, in language: Language
  ) throws(VoiceFailure) -> TelephoneSound {
    let usual = try sound(of: sentence, in: language, pace: Self.usualPace)
    let (length, lengthMax) = (
      usual.duration.wholeNanoseconds, VoiceCall.sentenceMax.wholeNanoseconds
    )
    guard length > lengthMax else { return usual }
    // A little more than in proportion, since pauses do not shrink.
    let pace = Int(Double(Self.usualPace) * Double(length) / Double(lengthMax) * 1.1) + 1
    return try sound(of: sentence, in: language, pace: min(pace, Self.paceMax))
  }

  private func sound(
    of sentence: String, in language: Language, pace: Int
  ) throws(VoiceFailure) -> TelephoneSound {
    let file = try output(
      of: [
        "-v", language == .italian ? "it" : "en-gb", "-b", "1", "-s", "\(pace)", "--stdin",
        "--stdout",
      ], given: sentence)
    return try Self.sound(in: file)
  }

  private func output(
    of arguments: [String], given sentence: String
  ) throws(VoiceFailure) -> [UInt8] {
    let spoken: [UInt8]?
    do throws(SystemError) {
      let dialogue = try ProgramDialogue(
        ProgramOrder(executable: program, arguments: arguments, deathSignal: SIGKILL))
      dialogue.say(Self.plain(sentence))
      dialogue.sayNoMore()
      spoken = Self.all(of: dialogue)
    } catch { throw .notSpoken(error) }
    guard let spoken else { throw .notSpoken() }
    return spoken
  }

  /// The whole output of the program; nil if it is late, or too long.
  private static func all(of dialogue: borrowing ProgramDialogue) -> [UInt8]? {
    let deadline = MonotonicClock.now + timeMax
    var bytes: [UInt8] = []
    while bytes.count <= bytesMax {
      switch dialogue.listen(until: deadline) {
      case .bytes(let more): bytes += more
      case .nothing: return nil
      case .end: return bytes
      }
    }
    return nil
  }

  /// A text without the sequences that espeak-ng interprets: phonemes in `[[ ]]`, tags of SSML, and
  /// commands after a control character. Names come from people.
  package static func plain(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isMarkup($0) ? " " : $0 }))
  }

  private static func isMarkup(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "[", "]", "<", ">": true
    default: scalar.properties.generalCategory == .control
    }
  }

  /// Reads a wave file as espeak-ng writes it into a pipe: one channel, 16 bits, with invalid
  /// sizes, since they were not known in advance.
  static func sound(in file: [UInt8]) throws(VoiceFailure) -> TelephoneSound {
    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) }
    }
    guard file.count > 44, Array(file[..<4]) == Array("RIFF".utf8),
      Array(file[36..<40]) == Array("data".utf8), number(22, 2) == 1, number(34, 2) == 16,
      (8000...96_000).contains(number(24, 4))
    else { throw .notSpoken() }
    let samples = (0..<((file.count - 44) / 2)).map { index in
      Int16(truncatingIfNeeded: number(44 + 2 * index, 2))
    }
    return TelephoneSound(samples, rate: number(24, 4))
  }
}
