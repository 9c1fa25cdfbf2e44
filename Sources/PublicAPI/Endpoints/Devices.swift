import HTTP
import JSON

extension Endpoint {
  /// Devices and other data sources of a single user (DAT-3).
  static let devices: [Endpoint] = [
    .startPairing, .confirmPairing, .finishPairing, .listDevices, .removeDevice, .assignDevice,
  ]

  /// Starts pairing, called by the device.
  package static let startPairing = Endpoint.post(
    "/devices/pair/start", "startPairing", at: .data4help, for: .anyone,
    "Starts pairing a device or another application: it shows the code, and its user enters it.",
    body: .json(
      .object([
        .required(
          "name", .string(lengthMin: 1, lengthMax: 100), "A name that the user recognises."),
        .required("model", .string(lengthMin: 1, lengthMax: 100)),
        .required(
          "types", .array(of: .dataType, countMin: 1, countMax: 100),
          "The data types that it can provide."),
      ])),
    answers: [
      .json(
        .object([
          .required("pairingID", .uuid),
          .required("pairingSecret", .text, "Only for the device, to finish pairing."),
          .required("code", .text, "Six digits for the device to show."),
          .required("expiresIn", .count, "The validity of the code in seconds."),
        ]))
    ], rate: .guarded, answerIsSecret: true)

  /// Looks up the code that the user enters, and accepts the device.
  package static let confirmPairing = Endpoint.post(
    "/devices/pair/confirm", "confirmPairing", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Returns which device shows this code; with `accept` the device is added to the "
      + "account. After five wrong codes in an hour the response is 429.",
    body: .json(
      .object([
        .required("code", .string(lengthMin: 6, lengthMax: 6), "The six digits."),
        .optional(
          "accept", .boolean,
          "True pairs the device; otherwise the call only returns its description."),
        .optional(
          "replaces", .string(lengthMin: 1, lengthMax: 10),
          "The `deviceID` of a device to replace, whose token ends."),
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
      ErrorAnswer(.conflict, "Wrong state", "The account already has twenty devices."),
    ], rate: .guarded, answerIsSecret: true)

  /// Completes pairing, polled by the device.
  package static let finishPairing = Endpoint.post(
    "/devices/pair/finish", "finishPairing", at: .data4help, for: .anyone,
    "Returns the device's token once the user has accepted; only once.",
    body: .json(.object([.required("pairingID", .uuid), .required("pairingSecret", .string())])),
    answers: [
      .json(
        .object([
          .required("deviceToken", .text, "Begins with `tmd_`; valid for uploads and alarms only."),
          .required("deviceID", .text),
        ])),
      .json(
        .object([.required("message", .text)]), status: .accepted, "Not accepted by the user yet."),
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "The pairing does not exist or has expired."),
      ErrorAnswer(.conflict, "Wrong state", "The token was already returned."),
    ], answerIsSecret: true)

  /// Lists the devices of a user.
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
                .required(
                  "assignedTypes", .array(of: .dataType), "Types accepted from this device only."),
                .required("pairedAt", .dateTime),
                .required("lastSeen", .dateTime.nullable, "To the minute; null if never."),
              ])))
        ]))
    ])

  /// Removes a device.
  package static let removeDevice = Endpoint.delete(
    "/devices/{deviceID}", "removeDevice", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Removes a device: its token is refused everywhere within a second; its samples are kept.",
    in: [PathParameter("deviceID", .integer(1...2_147_483_647), "The device's `deviceID`.")],
    answers: [.message("Action successful")],
    errors: [ErrorAnswer(.notFound, "Not found", "There is no such device.")])

  /// Selects the device that provides a type.
  package static let assignDevice = Endpoint.post(
    "/devices/assign", "assignDevice", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Selects the device that provides a data type. Samples of this type are then only "
      + "accepted from that device and from manual entry; uploads count others as `disabled`.",
    body: .json(
      .object([
        .required("type", .dataType),
        .required(
          "deviceID", .string(lengthMin: 1, lengthMax: 10),
          "`any` accepts the type from any device."),
      ])),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "There is no such device."),
      ErrorAnswer(.conflict, "Wrong state", "The device does not provide this type."),
    ])
}
