extension SettingTable {
  private static let year = 31_622_400

  /// Time to answer a request for data before it counts as denied (REQ-1).
  package static let answerWithin = Setting<Duration>(
    "TRACKME_ANSWER_WITHIN", .seconds(1...year), default: .text("259200"), readBy: [.data4help],
    "seconds until an unanswered request is denied")
  /// When check-in opens (R39).
  package static let checkinOpens = Setting<Duration>(
    "TRACKME_CHECKIN_OPENS", .seconds(0...year), default: .text("0"), readBy: [.track4run],
    "seconds before the start at which check-in opens, if before 00:00 of the day")
  /// Idle time after which a session ends (ACC-7).
  package static let sessionIdle = Setting<Duration>(
    "TRACKME_SESSION_IDLE", .seconds(1...year), default: .text("86400"),
    readBy: [.gateway, .data4help], "seconds after which an idle session ends")
  /// Age at which every session ends (ACC-7).
  package static let sessionMax = Setting<Duration>(
    "TRACKME_SESSION_MAX", .seconds(1...year), default: .text("2592000"),
    readBy: [.gateway, .data4help], "seconds after which any session ends")
  /// Age from which an account counts in groups (GRP-3).
  package static let groupSeasoning = Setting<Int>(
    "TRACKME_GROUP_SEASONING", .count(0...3650), default: .text("0"), readBy: [.data4help],
    "days until an account counts in groups (30 advised in production)")
  /// Which hospitals answer emergencies (SOS-12).
  package static let hospitals = Setting<String>(
    "TRACKME_HOSPITALS", .choice("approved", "open"), default: .text("approved"),
    readBy: [.data4help], "third parties that answer emergencies: approved ones, or any (open)")
  /// The SIP address that the voice adapter calls (SOS-5).
  package static let sipTarget = Setting<String>(
    "TRACKME_SIP_TARGET", .url("sip"), default: .none(note: "none: a file in `calls/`"),
    readBy: [.data4help], "SIP address called in emergencies, in the form sip://host/user")
  /// Whether the emergency number may be a telephone number (SOS-5).
  package static let sipNumbers = Setting<Bool>(
    "TRACKME_SIP_NUMBERS", .onOff, default: .text("off"), readBy: [.data4help],
    "on: TRACKME_SIP_TARGET may be a telephone number, in the form sip://host/112")
  /// The SIP gateway for calls to emergency contacts (SOS-6).
  package static let sipContacts = Setting<String>(
    "TRACKME_SIP_CONTACTS", .url("sip"), default: .none(note: "none: by mail only"),
    readBy: [.data4help],
    "gateway through which emergency contacts' telephones are called, in the form sip://host")
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
  /// The payment broker (REQ-7).
  package static let paymentURL = Setting<String>(
    "TRACKME_PAYMENT_URL", .url("https", "http").or(paymentInPlay), default: .none(note: "none"),
    readBy: [.data4help, .trackme],
    "the payment broker, such as https://api.stripe.com; "
      + "\(paymentInPlay): `trackme run` starts a test broker")
  /// The value that selects the simulated broker.
  package static let paymentInPlay = "play"
  /// The port of the simulated broker in a development system (REQ-7).
  package static let brokerPort = Setting<UInt16>(
    "TRACKME_BROKER_PORT", .port,
    default: .derived(note: "HTTP port + 900") { settings throws(SettingsError) in
      "\(Int(try settings.value(httpPort)) + 900)"
    }, readBy: [.trackme],
    "port of the test broker for payments that `trackme run` starts, on loopback")
  /// The price of a subscription (REQ-7).
  package static let priceSubscription = Setting<Int>(
    "TRACKME_PRICE_SUBSCRIPTION", .count(0...100_000_000),
    default: .none(note: "as without subscription"), readBy: [.data4help, .trackme],
    "euro cents a subscription costs, single or group")
  /// The file of our secret key at the broker.
  package static let paymentKeyPath = Setting<String>(
    "TRACKME_PAYMENT_KEY_FILE", .path, default: .none(note: "none"),
    readBy: [.data4help, .trackme],
    "file of our secret key at the payment broker")
  /// The file of the secret that signs the broker's confirmations.
  package static let paymentSigningPath = Setting<String>(
    "TRACKME_PAYMENT_SIGNING_FILE", .path, default: .none(note: "none"),
    readBy: [.data4help, .trackme],
    "file of the secret that signs the payment broker's confirmations")
  /// How long readings must stay critical to confirm an emergency (SOS-3).
  package static let sosConfirm = Setting<Duration>(
    "TRACKME_SOS_CONFIRM", .seconds(1...60), default: .text("3"), readBy: [.data4help],
    "seconds of critical readings that confirm an emergency")
  /// Period in which the person can abort an emergency (SOS-4).
  package static let sosAbort = Setting<Duration>(
    "TRACKME_SOS_ABORT", .seconds(1...60), default: .text("5"), readBy: [.data4help],
    "seconds in which the person can abort")
  /// Period in which the person can abort an emergency when the pulse is lost (SOS-13).
  package static let sosPulseAbort = Setting<Duration>(
    "TRACKME_SOS_PULSE_ABORT", .seconds(5...60), default: .text("20"), readBy: [.data4help],
    "seconds in which the person can abort if a pulse is lost")
  /// Time for a hospital to acknowledge before the next one is called (SOS-5).
  package static let sosAcknowledge = Setting<Duration>(
    "TRACKME_SOS_ACKNOWLEDGE", .seconds(1...600), default: .text("30"), readBy: [.data4help],
    "seconds a hospital has to acknowledge before the next one is called")
  /// Address ranges that callbacks may reach in addition to public addresses.
  package static let callbackAllow = Setting<[String]>(
    "TRACKME_CALLBACK_ALLOW", .addressRanges, default: .none(note: "none"),
    readBy: [.data4help, .track4run],
    "address ranges that callbacks and the tile server may use in addition to public ones")
  /// Certificate authorities for callbacks, instead of the system's.
  package static let callbackAuthorities = Setting<String>(
    "TRACKME_CALLBACK_AUTHORITIES", .path, default: .none(note: "those of the system"),
    readBy: [.data4help, .track4run],
    "file of certificate authorities that callbacks and map tiles trust")
  /// Whether rates are limited (GW-5).
  package static let rateLimits = Setting<String>(
    "TRACKME_RATE_LIMITS", .choice("on", "checked", "off"), default: .text("on"),
    readBy: [.gateway],
    "checked computes the limits and refuses no request, for benchmarks; off skips them")
  /// The most connections of clients at the gateway.
  package static let connections = Setting<Int>(
    "TRACKME_CONNECTIONS", .count(1...1_000_000), default: .text("40000"), readBy: [.gateway],
    "most connections of clients, HTTP and HTTPS together (some 20 KiB of memory each)")

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
    rateLimits.definition, connections.definition,
  ]
}
