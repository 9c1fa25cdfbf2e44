import HTTP
import JSON

extension Endpoint {
  /// Devices and other data sources of a single user (DAT-3).
  static let devices: [Endpoint] = [
    .startPairing, .confirmPairing, .finishPairing, .listDevices, .removeDevice, .assignDevice,
  ]

  /// A device wants to be paired.
  package static let startPairing = Endpoint.post(
    "/devices/pair/start", "startPairing", at: .data4help, for: .anyone,
    "Begins to pair a device or another application: it shows the code, its user types it.",
    body: .json(
      .object([
        .required("name", .string(lengthMin: 1, lengthMax: 100), "What its user knows it by."),
        .required("model", .string(lengthMin: 1, lengthMax: 100)),
        .required(
          "types", .array(of: .dataType, countMin: 1, countMax: 100), "What it can provide."),
      ])),
    answers: [
      .json(
        .object([
          .required("pairingID", .uuid),
          .required("pairingSecret", .text, "For the device alone, to finish with."),
          .required("code", .text, "Six digits, to be shown."),
          .required("expiresIn", .count, "Seconds for which the code is good."),
        ]))
    ], rate: .guarded, answerIsSecret: true)

  /// The user types the code, sees what it is, and accepts.
  package static let confirmPairing = Endpoint.post(
    "/devices/pair/confirm", "confirmPairing", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Says which device shows this code; with `accept` it becomes one of the user's. Five wrong "
      + "codes in an hour are answered 429.",
    body: .json(
      .object([
        .required("code", .string(lengthMin: 6, lengthMax: 6), "The six digits."),
        .optional("accept", .boolean, "Pair it; without, only tell what it is."),
        .optional(
          "replaces", .string(lengthMin: 1, lengthMax: 10),
          "The `deviceID` of one whose place it takes: that one's token ends."),
      ])),
    answers: [
      .json(
        .object([
          .required("name", .text), .required("model", .text),
          .required("types", .array(of: .dataType)),
          .optional("deviceID", .text, "With `accept`."),
        ]))
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "No device shows this code, or `replaces` is unknown."),
      ErrorAnswer(.conflict, "Wrong state", "The account has twenty devices."),
    ], rate: .guarded, answerIsSecret: true)

  /// The device asks whether it is paired.
  package static let finishPairing = Endpoint.post(
    "/devices/pair/finish", "finishPairing", at: .data4help, for: .anyone,
    "Gives the device its token, once, when the user has accepted.",
    body: .json(.object([.required("pairingID", .uuid), .required("pairingSecret", .string())])),
    answers: [
      .json(
        .object([
          .required("deviceToken", .text, "Begins with `tmd_`: for uploads and alarms only."),
          .required("deviceID", .text),
        ])),
      .json(
        .object([.required("message", .text)]), status: .accepted, "Nobody has accepted yet."),
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "There is no such pairing, or its time is over."),
      ErrorAnswer(.conflict, "Wrong state", "The token was given already."),
    ], answerIsSecret: true)

  /// The devices of a user.
  package static let listDevices = Endpoint.get(
    "/devices", "listDevices", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Lists the paired devices, newest first; at most twenty.",
    answers: [
      .json(
        .object([
          .required(
            "devices",
            .array(
              of: .object([
                .required("deviceID", .text), .required("name", .text),
                .required("model", .text), .required("types", .array(of: .dataType)),
                .required("assignedTypes", .array(of: .dataType), "Taken from it alone."),
                .required("pairedAt", .dateTime),
                .required("lastSeen", .dateTime.nullable, "To the minute; null if never."),
              ])))
        ]))
    ])

  /// A device goes.
  package static let removeDevice = Endpoint.delete(
    "/devices/{deviceID}", "removeDevice", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Removes a device: its token is refused everywhere within a second; its samples stay.",
    in: [PathParameter("deviceID", .integer(1...2_147_483_647), "The device's `deviceID`.")],
    answers: [.message("Action successful")],
    errors: [ErrorAnswer(.notFound, "Not found", "There is no such device.")])

  /// Which device provides a type.
  package static let assignDevice = Endpoint.post(
    "/devices/assign", "assignDevice", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Names the device that provides a data type: samples of it are then taken from that device "
      + "and by hand only, and uploads count the others as `disabled`.",
    body: .json(
      .object([
        .required("type", .dataType),
        .required(
          "deviceID", .string(lengthMin: 1, lengthMax: 10), "`any` takes it from any device."),
      ])),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "There is no such device."),
      ErrorAnswer(.conflict, "Wrong state", "The device does not provide this type."),
    ])
}
