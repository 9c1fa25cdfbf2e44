import EventLoop
import Operations

/// The telephone numbers that the operator allows AutomatedSOS to call by voice; none by default
/// (docs/operations.md).
package struct VoiceSettings: Sendable {
  /// The emergency number; nil: the texts are written to files.
  package let number: SIPAddress?
  /// The gateway to the telephones of emergency contacts; nil: they are not called.
  package let contacts: SIPHost?

  /// - Throws: `SettingsError` for an address of a different form, and for a telephone number that
  ///   is not explicitly allowed, so that an experiment never calls 112.
  package init(_ settings: Settings) throws(SettingsError) {
    number = try Self.number(settings)
    guard let text = try settings.optional(SettingTable.sipContacts) else {
      contacts = nil
      return
    }
    guard let host = SIPHost(url: text) else {
      throw .badValue(
        name: SettingTable.sipContacts.definition.name,
        expectation: "a host in the form sip://host:port", shown: text)
    }
    contacts = host
  }

  private static func number(_ settings: Settings) throws(SettingsError) -> SIPAddress? {
    guard let text = try settings.optional(SettingTable.sipTarget) else { return nil }
    let name = SettingTable.sipTarget.definition.name
    guard let address = SIPAddress(url: text) else {
      throw .badValue(
        name: name, expectation: "an address in the form sip://host/user", shown: text)
    }
    let isAllowed = try settings.value(SettingTable.sipNumbers)
    guard isAllowed || !address.isTelephoneNumber else {
      throw .badValue(
        name: name,
        expectation: "no telephone number unless \(SettingTable.sipNumbers.definition.name) is on",
        shown: text)
    }
    return address
  }
}

/// The voices of a process.
package struct EmergencyVoices: Sendable {
  /// Reaches the emergency number.
  package let number: any EmergencyVoice
  /// Reaches the telephones of contacts.
  package let contacts: (any EmergencyVoice)?

  /// A voice for the emergency number, and one for contacts if they are called.
  package init(number: any EmergencyVoice, contacts: (any EmergencyVoice)?) {
    self.number = number
    self.contacts = contacts
  }

  /// - Throws: `SystemError` when the system refuses the threads.
  package init(_ settings: VoiceSettings, _ state: StateDirectory, log: Log) throws(SystemError) {
    if let address = settings.number {
      number = try SIPTelephone(to: .one(address), directory: state.file("calls/number"), log: log)
    } else {
      number = try VoiceFolder(path: state.file("calls"), log: log)
    }
    // Separate lines, so that no call to a contact delays the emergency number.
    contacts = try settings.contacts.map { (host) throws(SystemError) in
      try SIPTelephone(
        to: .contacts(through: host), directory: state.file("calls/contacts"), log: log)
    }
  }
}
