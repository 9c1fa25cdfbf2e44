import HTTP
import JSON

extension Endpoint {
  /// What accounts are told (NTF-1), and third parties in their sequence (REQ-2).
  static let notifications: [Endpoint] = [
    .notices, .readNotices, .chooseMailedNotices, .accountStream, .thirdPartyStream,
    .thirdPartyEvents,
  ]

  private static let noticeKinds = [
    "request", "answer", "ended", "room", "security", "alarm", "run",
  ]

  /// The list of notices.
  package static let notices = Endpoint.get(
    "/notifications", "notices", at: .data4help, for: .account(otherwise: .wrongToken),
    "What the account was told, newest first, and how much of it is unread.",
    query: QueryParameter.paging,
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
                  "text", .text, "The same for a person, in the account's language and time zone."),
                .required(
                  "data", .any,
                  "What happened; its fields depend on the kind. Of `request`: the request and "
                    + "its company as they are now. Of `security`: `event` "
                    + "(callbackChanged, callbackRemoved, callbackSecretRotated, keyCreated or "
                    + "devicePaired) and what it is about."),
              ]))),
          .required("unread", .count),
          .required("mail", .array(of: .oneOf(noticeKinds)), "Kinds that are sent by mail."),
          .optional("next", .text, "There is more: pass it as `cursor`."),
        ]))
    ])

  /// Notices were read.
  package static let readNotices = Endpoint.post(
    "/notifications/read", "readNotices", at: .data4help, for: .account(otherwise: .wrongToken),
    "Marks notices as read; unknown numbers are passed over.",
    body: .json(
      .object([.required("ids", .array(of: .integer(minimum: 1), countMin: 0, countMax: 500))])),
    answers: [.message("Action successful")])

  /// Which notices come by mail.
  package static let chooseMailedNotices = Endpoint.post(
    "/notifications/mail", "chooseMailedNotices", at: .data4help,
    for: .account(otherwise: .wrongToken),
    "Chooses the kinds of notices that are sent by mail while no stream is open; all at first.",
    body: .json(
      .object([.required("kinds", .array(of: .oneOf(noticeKinds), countMin: 0, countMax: 14))])),
    answers: [.message("Settings updated")])

  /// The account's live stream.
  package static let accountStream = Endpoint.get(
    "/events", "accountStream", at: .data4help, for: .account(otherwise: .wrongToken),
    "Server-sent events: the account's notices as they are written, under their numbers; a device "
      + "gets the alarms among them.",
    answers: [.other("text/event-stream", "Goes on from `Last-Event-ID`, else from now.")],
    errors: streamErrors
  ).streaming().forDevices()

  /// The third party's live stream (REQ-2).
  package static let thirdPartyStream = Endpoint.get(
    "/req/tp/stream", "thirdPartyStream", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Server-sent events `data`, `answer`, `ended`, `erased`, `unavailable` in the own sequence; "
      + "to hospitals `sos.called` and `sos.closed`.",
    answers: [.other("text/event-stream", "Goes on from `Last-Event-ID`, else from now.")],
    errors: streamErrors
  ).streaming()

  private static let streamErrors = [
    ErrorAnswer(.tooManyRequests, "Too many requests", "The account has ten streams open here.")
  ]

  /// The third party's sequence by reading (REQ-2).
  package static let thirdPartyEvents = Endpoint.get(
    "/req/tp/events", "thirdPartyEvents", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Everything one was told and given behind a number of one's own sequence, oldest first.",
    query: [
      .optional("since", .integer(0...Int.max), "The number to go on behind; 0 if left out.")
    ],
    answers: [
      .json(
        .object([
          .required(
            "events",
            .array(
              of: .object([
                .required("seq", .count, "The last number that it stands for."),
                .required(
                  "type",
                  .oneOf([
                    "request.answered", "data.created", "request.ended", "data.erased",
                    "data.unavailable", "sos.called", "sos.closed",
                  ])),
                .required("timestamp", .dateTime), .required("data", .any),
              ]))),
          .required("next", .count, "Pass it as `since` for more, now or later."),
          .required("more", .boolean, "Whether there is more already."),
        ]))
    ])
}
