import Domain
import HTTP
import JSON

extension Endpoint {
  /// Notices to accounts (NTF-1), and the event sequence of third parties (REQ-2).
  static let notifications: [Endpoint] = [
    .notices, .readNotices, .chooseMailedNotices, .accountStream, .thirdPartyStream,
    .thirdPartyEvents,
  ]

  /// The names of the kinds of notices.
  static let noticeKinds = [
    "request", "answer", "ended", "room", "security", "alarm", "run",
  ]

  /// The list of notices.
  package static let notices = Endpoint.get(
    "/notifications", "notices", at: .data4help, for: .account(otherwise: .wrongToken),
    "The account's notices, newest first, and the number of unread ones.",
    query: [
      .optional(
        "language", .choice(Language.allCases.map(\.rawValue)),
        "The language of the texts; that of the account by default.")
    ] + QueryParameter.paging,
    answers: [
      .json(
        .object([
          .required(
            "items",
            .array(
              of: .object([
                .required("id", .count), .required("kind", .oneOf(noticeKinds)),
                .required("time", .dateTime), .required("read", .boolean),
                .required(
                  "text", .text,
                  "The notice as text, in the chosen language and the account's time zone."),
                .required(
                  "data", .any,
                  "The event; its fields depend on the kind. For `request`: the request and its "
                    + "company in their current state. For `security`: `event` "
                    + "(callbackChanged, callbackRemoved, callbackSecretRotated, keyCreated or "
                    + "devicePaired) and its subject."),
              ]))),
          .required("unread", .count),
          .required("mail", .array(of: .oneOf(noticeKinds)), "The kinds of notices sent by mail."),
          .optional("next", .text, "Present if there are more entries: pass it as `cursor`."),
        ]))
    ])

  /// Marks notices as read.
  package static let readNotices = Endpoint.post(
    "/notifications/read", "readNotices", at: .data4help, for: .account(otherwise: .wrongToken),
    "Marks notices as read; unknown numbers are ignored.",
    body: .json(ReadNoticesBody.self),
    answers: [.message("Action successful")])

  /// Chooses the notices that are sent by mail.
  package static let chooseMailedNotices = Endpoint.post(
    "/notifications/mail", "chooseMailedNotices", at: .data4help,
    for: .account(otherwise: .wrongToken),
    "Chooses the kinds of notices that are sent by mail while no stream is open; by default all.",
    body: .json(ChooseMailedNoticesBody.self),
    answers: [.message("Settings updated")])

  /// The account's live stream.
  package static let accountStream = Endpoint.get(
    "/events", "accountStream", at: .data4help, for: .account(otherwise: .wrongToken),
    "Server-sent events: the account's notices as they occur, with their numbers; a device "
      + "receives only the alarms.",
    answers: [
      .other("text/event-stream", "Continues after `Last-Event-ID`, otherwise starts now.")
    ],
    errors: streamErrors
  ).streaming().forDevices()

  /// The third party's live stream (REQ-2).
  package static let thirdPartyStream = Endpoint.get(
    "/req/tp/stream", "thirdPartyStream", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Server-sent events `data`, `answer`, `ended`, `erased`, `unavailable` of your own "
      + "sequence; for hospitals also `sos.called` and `sos.closed`.",
    answers: [
      .other("text/event-stream", "Continues after `Last-Event-ID`, otherwise starts now.")
    ],
    errors: streamErrors
  ).streaming().revocable()

  private static let streamErrors = [
    ErrorAnswer(.tooManyRequests, "Too many requests", "The account already has ten open streams.")
  ]

  /// Reads the third party's event sequence by polling (REQ-2).
  package static let thirdPartyEvents = Endpoint.get(
    "/req/tp/events", "thirdPartyEvents", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "All events of your sequence after a number, including data, oldest first.",
    query: [
      .optional("since", .integer(0...Int.max), "The number after which to continue; 0 by default.")
    ],
    answers: [
      .json(
        .object([
          .required(
            "events",
            .array(
              of: .object([
                .required("seq", .count, "The last number that the entry covers."),
                .required(
                  "type",
                  .oneOf([
                    "request.answered", "data.created", "request.ended", "data.erased",
                    "data.unavailable", "sos.called", "sos.closed",
                  ])),
                .required("timestamp", .dateTime), .required("data", .any),
              ]))),
          .required("next", .count, "Pass it as `since` for more, now or later."),
          .required("more", .boolean, "Whether more entries already exist."),
        ]))
    ]
  ).revocable()
}

/// The body of `POST /notifications/read`.
package struct ReadNoticesBody: JSONDocumented {
  /// The numbers of the notices.
  package let numbers: [Int64]

  /// The fields.
  package static let document = JSONDocument(
    .required("ids", .noticeNumbers), make: ReadNoticesBody.init)
}

/// The body of `POST /notifications/mail`.
package struct ChooseMailedNoticesBody: JSONDocumented {
  /// The names of the kinds that are sent by mail.
  package let kinds: [String]

  /// The fields.
  package static let document = JSONDocument(
    .required("kinds", .noticeKinds), make: ChooseMailedNoticesBody.init)
}

extension JSONForm<[Int64]> {
  /// Up to 500 numbers of notices.
  fileprivate static var noticeNumbers: Self {
    JSONForm<Int64>(.integer(minimum: 1)) { (reader) throws(JSONError) in
      Int64(try reader.integer())
    }.list(countMax: 500)
  }
}

extension JSONForm<[String]> {
  /// Names of kinds of notices, which the service parses.
  static var noticeKinds: Self {
    JSONForm<String>(.oneOf(Endpoint.noticeKinds)).list(countMax: 2 * Endpoint.noticeKinds.count)
  }
}
