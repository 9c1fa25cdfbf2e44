extension SettingTable {
  private static let year = 31_622_400

  /// How long an answer may take (REQ-1).
  package static let answerWithin = Setting<Duration>(
    "TRACKME_ANSWER_WITHIN", .seconds(1...year), default: .text("259200"), readBy: [.data4help],
    "seconds until an unanswered request is denied")
  /// When check-in opens (R39).
  package static let checkinOpens = Setting<Duration>(
    "TRACKME_CHECKIN_OPENS", .seconds(0...year), default: .text("0"), readBy: [.track4run],
    "seconds before the start at which check-in opens, if before 00:00 of the day")
  /// When an idle session ends (ACC-7).
  package static let sessionIdle = Setting<Duration>(
    "TRACKME_SESSION_IDLE", .seconds(1...year), default: .text("86400"),
    readBy: [.gateway, .data4help], "seconds after which an idle session ends")
  /// When any session ends (ACC-7).
  package static let sessionMax = Setting<Duration>(
    "TRACKME_SESSION_MAX", .seconds(1...year), default: .text("2592000"),
    readBy: [.gateway, .data4help], "seconds after which any session ends")
  /// When an account counts in groups (GRP-3).
  package static let groupSeasoning = Setting<Int>(
    "TRACKME_GROUP_SEASONING", .count(0...3650), default: .text("0"), readBy: [.data4help],
    "days until an account counts in groups (30 advised in production)")
  /// Who answers emergencies (SOS-12).
  package static let hospitals = Setting<String>(
    "TRACKME_HOSPITALS", .choice("approved", "open"), default: .text("approved"),
    readBy: [.data4help], "who answers emergencies: approved ones, or any third party (open)")
  /// Whom the voice adapter calls (SOS-5).
  package static let sipTarget = Setting<String>(
    "TRACKME_SIP_TARGET", .url("sip"), default: .none(note: "none: a file in `calls/`"),
    readBy: [.data4help], "whom emergencies call by voice, as sip://host/user")
  /// Whether the emergency number may be a telephone number (SOS-5).
  package static let sipNumbers = Setting<Bool>(
    "TRACKME_SIP_NUMBERS", .onOff, default: .text("off"), readBy: [.data4help],
    "on: TRACKME_SIP_TARGET may be a telephone number, as sip://host/112")
  /// Through what emergency contacts are called (SOS-6).
  package static let sipContacts = Setting<String>(
    "TRACKME_SIP_CONTACTS", .url("sip"), default: .none(note: "none: by mail only"),
    readBy: [.data4help],
    "gateway through which emergency contacts' telephones are called, as sip://host")
  /// The price of a single request (REQ-7).
  package static let priceSingle = Setting<Int>(
    "TRACKME_PRICE_SINGLE", .count(0...100_000_000), default: .text("0"),
    readBy: [.data4help, .trackme],
    "euro cents a single request costs")
  /// The price of a group request (REQ-7).
  package static let priceGroup = Setting<Int>(
    "TRACKME_PRICE_GROUP", .count(0...100_000_000), default: .text("0"),
    readBy: [.data4help, .trackme],
    "euro cents a group request costs")
  /// The broker of payments (REQ-7).
  package static let paymentURL = Setting<String>(
    "TRACKME_PAYMENT_URL", .url("https", "http").or(paymentInPlay), default: .none(note: "none"),
    readBy: [.data4help, .trackme],
    "the payment broker, as https://api.stripe.com; \(paymentInPlay): `trackme run` plays one")
  /// The word in place of an address for a broker in play.
  package static let paymentInPlay = "play"
  /// Where the broker of a development system listens (REQ-7).
  package static let brokerPort = Setting<UInt16>(
    "TRACKME_BROKER_PORT", .port,
    default: .derived(note: "HTTP port + 900") { settings throws(SettingsError) in
      "\(Int(try settings.value(httpPort)) + 900)"
    }, readBy: [.trackme],
    "port of the payment broker that `trackme run` plays, on loopback")
  /// The price of a subscription (REQ-7).
  package static let priceSubscription = Setting<Int>(
    "TRACKME_PRICE_SUBSCRIPTION", .count(0...100_000_000),
    default: .none(note: "as without subscription"), readBy: [.data4help, .trackme],
    "euro cents a subscription costs, single or group")
  /// What the broker knows us by.
  package static let paymentKeyPath = Setting<String>(
    "TRACKME_PAYMENT_KEY_FILE", .path, default: .none(note: "none"),
    readBy: [.data4help, .trackme],
    "file of our secret key at the payment broker")
  /// What the broker signs its confirmations with.
  package static let paymentSigningPath = Setting<String>(
    "TRACKME_PAYMENT_SIGNING_FILE", .path, default: .none(note: "none"),
    readBy: [.data4help, .trackme],
    "file of the secret that signs the payment broker's confirmations")
  /// How long readings stay critical before an emergency is confirmed (SOS-3).
  package static let sosConfirm = Setting<Duration>(
    "TRACKME_SOS_CONFIRM", .seconds(1...60), default: .text("3"), readBy: [.data4help],
    "seconds of critical readings that confirm an emergency")
  /// How long an emergency can be aborted (SOS-4).
  package static let sosAbort = Setting<Duration>(
    "TRACKME_SOS_ABORT", .seconds(1...60), default: .text("5"), readBy: [.data4help],
    "seconds in which the person can abort")
  /// How long an emergency can be aborted where a pulse is lost (SOS-13).
  package static let sosPulseAbort = Setting<Duration>(
    "TRACKME_SOS_PULSE_ABORT", .seconds(5...60), default: .text("20"), readBy: [.data4help],
    "seconds in which the person can abort where a pulse is lost")
  /// How long a hospital may take (SOS-5).
  package static let sosAcknowledge = Setting<Duration>(
    "TRACKME_SOS_ACKNOWLEDGE", .seconds(1...600), default: .text("30"), readBy: [.data4help],
    "seconds a hospital has to acknowledge before the next one is called")
  /// Where callbacks may go beside public addresses.
  package static let callbackAllow = Setting<[String]>(
    "TRACKME_CALLBACK_ALLOW", .addressRanges, default: .none(note: "none"),
    readBy: [.data4help], "address ranges callbacks may reach beside public ones")
  /// Whom callbacks trust, where the system's authorities are not meant.
  package static let callbackAuthorities = Setting<String>(
    "TRACKME_CALLBACK_AUTHORITIES", .path, default: .none(note: "those of the system"),
    readBy: [.data4help], "file of certificate authorities that callbacks trust")
  /// Whether rates are limited (GW-5).
  package static let rateLimits = Setting<Bool>(
    "TRACKME_RATE_LIMITS", .onOff, default: .text("on"), readBy: [.gateway, .data4help],
    "off for load tests")

  static let ruleSettings = [
    answerWithin.definition, checkinOpens.definition, sessionIdle.definition,
    sessionMax.definition, groupSeasoning.definition, hospitals.definition, sipTarget.definition,
    sipNumbers.definition, sipContacts.definition,
    priceSingle.definition, priceGroup.definition, priceSubscription.definition,
    paymentURL.definition, brokerPort.definition, paymentKeyPath.definition,
    paymentSigningPath.definition,
    sosConfirm.definition,
    sosAbort.definition, sosPulseAbort.definition, sosAcknowledge.definition,
    callbackAllow.definition,
    callbackAuthorities.definition,
    rateLimits.definition,
  ]
}
