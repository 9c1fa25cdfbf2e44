import CLinux
import Domain
import EventLoop
import Operations

/// Speaks with espeak-ng and dials with baresip, each a process of its own without a shell between
/// (decision 0026). As many calls at the same time as there are lines; who waits for one longer
/// than it would ring is not called.
///
/// No argument of a process and no file on disk tells whom is called or what is said: the sentence,
/// the address and the sound go over sockets and through memory.
package struct SIPTelephone: EmergencyVoice {
  /// Whom it calls.
  package enum Destination: Sendable {
    /// Always the same one: the emergency number.
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

  /// The paths of what it needs.
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

    /// Where Debian has them.
    package static let debian = Programs(
      espeak: "/usr/bin/espeak-ng", baresip: "/usr/bin/baresip",
      modules: "/usr/lib/baresip/modules")

    /// The first that is not there.
    package var missing: String? {
      [espeak, baresip, "\(modules)/aufile.so"].first { !FileSystem.exists($0) }
    }
  }

  private let destination: Destination
  private let directory: String
  private let programs: Programs
  private let patience: Duration
  private let log: Log
  private let pool: BlockingPool

  /// A telephone with `lines` lines, which keeps baresip's configuration in `directory` and waits
  /// `patience` for each immediate answer of baresip.
  ///
  /// - Throws: `SystemError` when the system refuses the files or the threads of the lines.
  package init(
    to destination: Destination, directory: String, programs: Programs = .debian, lines: Int = 4,
    patience: Duration = SIPCallStateMachine.patience, log: Log
  ) throws(SystemError) {
    self.destination = destination
    self.directory = directory
    self.programs = programs
    self.patience = patience
    self.log = log
    // Once, since calls at the same time share them.
    try BaresipFiles(modules: programs.modules, host: destination.host).write(to: directory)
    pool = try BlockingPool(name: "lines", threads: lines, queueMax: 64)
    if let missing = programs.missing {
      log.error(
        "find telephone program failed",
        [.safe("path", OperatorText(missing)), .word("cause", "the program is missing")])
    }
  }

  /// Calls once.
  package func place(
    _ call: VoiceCall, until hangUp: HangUp, whenPickedUp: @escaping @Sendable () -> Void
  ) async -> VoiceOutcome {
    let ringUntil = MonotonicClock.now + call.ringsFor
    do throws(VoiceFailure) {
      let result: Result<Void, VoiceFailure>
      do throws(BlockingPoolError) {
        result = try await pool.run { () throws(VoiceFailure) in
          try speak(call, ringUntil: ringUntil, until: hangUp, whenPickedUp: whenPickedUp)
        }
      } catch { throw VoiceFailure.noLineFree }
      try result.get()
      log.info("voice call heard", [.number("call", call.number)])
      return .answered
    } catch {
      log.warning(
        "complete voice call failed",
        [.word("cause", error.word), .number("call", call.number)]
          + (error.cause.map { [.error($0)] } ?? []))
      return error == .withdrawn ? .withdrawn : .unanswered
    }
  }

  private func speak(
    _ call: VoiceCall, ringUntil: MonotonicInstant, until hangUp: HangUp,
    whenPickedUp: () -> Void
  ) throws(VoiceFailure) {
    guard !hangUp.isAsked else { throw .withdrawn }
    guard MonotonicClock.now < ringUntil else { throw .noLineFree }
    guard let address = destination.address(for: call) else { throw .noNumber }
    let once = try Speech(program: programs.espeak).sound(of: call.sentence, in: call.language)
    let whole = once.repeated(VoiceCall.repetitions)
    let conversation = SIPConversation(
      address: address, ringUntil: ringUntil, hangUp: hangUp, patience: patience)
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
