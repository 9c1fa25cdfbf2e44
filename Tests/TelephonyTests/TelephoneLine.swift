import Foundation
import Operations
import TelephoneFixture
import Telephony
import Testing

extension EmergencyVoice {
  /// Places a call that this side does not hang up.
  func place(
    _ call: VoiceCall, whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome {
    await place(call, until: CancellationToken(), whenPickedUp: whenPickedUp)
  }
}

/// A telephone with one line, in its own directory, with its messages to the operator and the data
/// visible to other users of the machine.
final class TelephoneLine: Sendable {
  let telephone: SIPTelephone
  /// The address that it calls.
  let address: String
  let directory: String
  private let log: LogRecorder
  /// More than baresip needs on a busy machine.
  static let longWaitMax = Duration.seconds(60)

  convenience init(
    to answerer: Answerer, _ programs: SIPTelephone.Programs = .debian
  ) throws {
    let address = SIPAddress(url: "sip://127.0.0.1:\(answerer.port)/sos")
    try self.init(to: try #require(address)) { _ in programs }
  }

  convenience init(
    to address: SIPAddress, waitMax: Duration = TelephoneLine.longWaitMax,
    _ programs: (String) throws -> SIPTelephone.Programs = { _ in .debian }
  ) throws {
    try self.init(.one(address), address.text, waitMax, programs)
  }

  convenience init(through host: SIPHost) throws {
    try self.init(.contacts(through: host), host.text, TelephoneLine.longWaitMax) { _ in .debian }
  }

  private init(
    _ destination: SIPTelephone.Destination, _ address: String, _ waitMax: Duration,
    _ programs: (String) throws -> SIPTelephone.Programs
  ) throws {
    let directory =
      FileManager.default.temporaryDirectory.path + "/tmcall-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let log = LogRecorder()
    (self.address, self.directory, self.log) = (address, directory, log)
    telephone = try SIPTelephone(
      to: destination, directory: "\(directory)/baresip", programs: try programs(directory),
      lines: 1, waitMax: waitMax,
      log: Log(process: "test", sink: log.sink))
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// The log for the operator.
  var said: String { log.lines.joined(separator: "\n") }

  /// The command lines of all processes that name the directory.
  var commands: [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { Int($0) != nil }.compactMap { process in
      guard let bytes = try? Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline")) else {
        return nil
      }
      let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      let line = words.joined(separator: " ")
      return line.contains(directory) ? line : nil
    }
  }

  /// Checks that neither the log nor a file contains the spoken text or the address.
  func expectNothingNotified(of sentence: String) {
    let files = FileManager.default.enumerator(atPath: directory)
    let texts = (files?.compactMap { $0 as? String } ?? []).compactMap { name in
      try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }
    #expect(!texts.isEmpty)
    for text in texts + [said] {
      #expect(!text.contains("45 virgola") && !text.contains("sos@") && !text.contains(sentence))
    }
  }

  /// Debian's programs, except for the given ones.
  static func programs(
    espeak: String = "/usr/bin/espeak-ng", baresip: String = "/usr/bin/baresip"
  ) -> SIPTelephone.Programs {
    SIPTelephone.Programs(
      espeak: espeak, baresip: baresip, modules: "/usr/lib/baresip/modules")
  }
}
