import Domain
import Foundation
import Installation
import Operations
import Sharing
import Webhooks

extension LocalBroker {
  /// The broker of an installation; nil if none is needed.
  ///
  /// - Throws: the `StartError` of `isNeeded`, or one about a missing lab.
  static func ifNeeded(by installation: Installation) throws(StartError) -> LocalBroker? {
    guard try isNeeded(installation.settings) else { return nil }
    let lab = Lab(installation)
    guard lab.isPresent else {
      throw StartError(
        "Payments cannot be tried: \(lab.missing). Without it, set TRACKME_PAYMENT_URL to a "
          + "payment broker, or no price.")
    }
    return try LocalBroker(installation)
  }

  /// Whether these settings require a local broker: by an explicit setting, or by a price without a
  /// broker on an installation whose public URL points to this machine.
  ///
  /// - Throws: `StartError` if a payer could settle a real payment with a test payment: a price
  ///   without a broker under any other public URL, or a real broker's files without its address.
  package static func isNeeded(_ settings: Settings) throws(StartError) -> Bool {
    let payments: PaymentSettings
    let publicURL: String
    do throws(SettingsError) {
      payments = try PaymentSettings(settings)
      publicURL = try settings.value(SettingTable.publicURL)
    } catch {
      throw StartError(error)
    }
    try payments.refuseLoneFiles()
    switch payments.broker {
    case .at: return false
    case .inPlay: return true
    case .none:
      guard payments.prices.areDue else { return false }
      guard isOnLoopback(publicURL) else {
        throw StartError(
          "Requests have a price but no payment broker is configured: set TRACKME_PAYMENT_URL, to "
            + "\(SettingTable.paymentInPlay) for a broker that charges nobody, or no price.")
      }
      return true
    }
  }

  /// Whether a URL points to this machine wherever it is resolved.
  private static func isOnLoopback(_ url: String) -> Bool {
    guard let host = URLComponents(string: url)?.host?.lowercased() else { return false }
    if host == "localhost" { return true }
    guard let address = AddressRange.address(host.trimmingCharacters(in: ["[", "]"])) else {
      return false
    }
    return ["127.0.0.0/8", "::1/128"].contains { range in
      AddressRange(range)?.contains(address) == true
    }
  }

  /// The settings passed to a service that accepts payments: names and values.
  var variables: [String: String] {
    [
      SettingTable.paymentURL.definition.name: url,
      SettingTable.paymentKeyPath.definition.name: keyPath,
      SettingTable.paymentSigningPath.definition.name: signingPath,
    ]
  }

  /// The lab's program for the supervisor.
  func program(_ installation: Installation) -> SupervisedProgram {
    let port = port
    return SupervisedProgram(
      name: Self.name, order: Lab(installation).order("broker"),
      logPath: installation.state.file("logs/\(Self.name).log"), addresses: [url]
    ) { loop in
      await HTTPProbe.ask(port: port, on: loop)
    }
  }
}
