import Time

/// LISTEN on a channel. The name cannot be a parameter, and is therefore a constant in the program.
final class ListenCommand: Command {
  private let channel: StaticString

  init(_ channel: StaticString, deadline: MonotonicInstant) {
    self.channel = channel
    super.init(deadline: deadline)
  }

  override var name: String { "LISTEN \(channel)" }
  override var preparation: (text: String, types: [UInt32]) { ("LISTEN \"\(channel)\"", []) }
}
