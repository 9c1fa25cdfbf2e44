import CLinux
import Domain
import EventLoop
import Operations
import Time

/// Speaks with espeak-ng and dials with baresip, each in its own process without a shell (decision
/// 0026). It places as many simultaneous calls as there are lines; a call that waits for a line
/// longer than it would ring is not placed.
///
/// No argument of a process and no file on disk contains the recipient or the message: the
/// sentence, the address and the sound are passed over sockets and through memory.
package struct SIPTelephone: EmergencyVoice {
  /// The recipients of its calls.
  package enum Destination: Sendable {
    /// Always the same recipient: the emergency number.
    case one(SIPAddress)
    /// The telephone of each contact, through a gateway.
    case contacts(through: SIPHost)

    func address(for call: VoiceCall) -> SIPAddress? {
      switch self {
      case .one(let address): address
      case .contacts(let host): call.contact.flatMap { SIPAddress(user: $0.text, host: host) }
      }
    }

    var host: SIPHost {
      switch self {
      case .one(let address): address.host
      case .contacts(let host): host
      }
    }
  }

  /// The paths of the programs that it needs.
  package struct Programs: Sendable {
    let espeak: String
    let baresip: String
    let modules: String

    /// The programs at these paths; `modules` is the directory of baresip's.
    package init(espeak: String, baresip: String, modules: String) {
      self.espeak = espeak
      self.baresip = baresip
      self.modules = modules
    }

    /// The paths on Debian.
    package static let debian = Programs(
      espeak: "/usr/bin/espeak-ng", baresip: "/usr/bin/baresip",
      modules: "/usr/lib/baresip/modules")

    /// The first missing path.
    package var missing: String? {
      [espeak, baresip, "\(modules)/aufile.so"].first { !FileSystem.exists($0) }
    }
  }

  private let destination: Destination
  private let directory: String
  private let programs: Programs
  private let waitMax: Duration
  private let log: Log
  private let pool: BlockingPool

  /// A telephone with `lines` lines, which stores baresip's configuration in `directory` and waits
  /// `waitMax` for each immediate reaction of baresip.
  ///
  /// - Throws: `SystemError` when the system refuses the files or the threads of the lines.
  package init(
    to destination: Destination, directory: String, programs: Programs = .debian, lines: Int = 4,
    waitMax: Duration = SIPCallStateMachine.waitMax, log: Log
  ) throws(SystemError) {
    self.destination = destination
    self.directory = directory
    self.programs = programs
    self.waitMax = waitMax
    self.log = log
    // Once, since simultaneous calls share them.
    try BaresipFiles(modules: programs.modules, host: destination.host).write(to: directory)
    pool = try BlockingPool(name: "lines", threads: lines, queueMax: 64)
    if let missing = programs.missing {
      log.error(
        "find telephone program failed",
        [.safe("path", OperatorText(missing)), .constant("cause", "the program is missing")])
    }
  }

  /// Calls once.
  package func place(
    _ call: VoiceCall, until cancellation: CancellationToken,
    whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome {
    let ringUntil = MonotonicClock.now + call.ringsFor
    do throws(VoiceFailure) {
      let result: Result<Void, VoiceFailure>
      do throws(BlockingPoolError) {
        result = try await pool.run { () throws(VoiceFailure) in
          try speak(call, ringUntil: ringUntil, until: cancellation, whenPickedUp: whenPickedUp)
        }
      } catch { throw VoiceFailure.noLineFree }
      try result.get()
      log.info("voice call heard", [.number("call", call.number)])
      return .answered
    } catch {
      log.warning(
        "complete voice call failed",
        [.constant("cause", error.summary), .number("call", call.number)]
          + (error.cause.map { [.error($0)] } ?? []))
      return error == .withdrawn ? .withdrawn : .unanswered
    }
  }

  private func speak(
    _ call: VoiceCall, ringUntil: MonotonicInstant, until cancellation: CancellationToken,
    whenPickedUp: () -> Void
  ) throws(VoiceFailure) {
    guard !cancellation.isCancelled else { throw .withdrawn }
    guard MonotonicClock.now < ringUntil else { throw .noLineFree }
    guard let address = destination.address(for: call) else { throw .noNumber }
    let once = try Speech(program: programs.espeak).sound(of: call.sentence, in: call.language)
    let whole = once.repeated(VoiceCall.repetitions)
    let conversation = SIPConversation(
      address: address, ringUntil: ringUntil, cancellation: cancellation, waitMax: waitMax)
    let baresip = try dialogue(playing: whole.waveFile)
    try conversation.hold(
      with: baresip, once: once.durationWithLead, whole: whole.duration,
      whenPickedUp: whenPickedUp)
  }

  /// Starts baresip, with the sound as a file in memory that only it has.
  private func dialogue(playing wave: [UInt8]) throws(VoiceFailure) -> ProgramDialogue {
    do throws(SystemError) {
      // SAFETY: the text is passed as a C string for the call.
      let sound = try SystemError.check("memfd_create", unsafe linux_memory_file("sound"))
      defer { close(sound) }
      try FileSystem.write(wave, to: sound)
      return try ProgramDialogue(
        ProgramOrder(
          executable: programs.baresip, arguments: ["-f", directory],
          environment: ["HOME": directory], deathSignal: SIGKILL), extra: sound)
    } catch { throw .telephoneBroken(error) }
  }
}
