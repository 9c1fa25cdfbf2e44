import Domain
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
    body: .json(StartPairingBody.self),
    answers: [
      .json(
        .object([
          .required("pairingID", .uuid),
          .required("pairingSecret", .text, "Only for the device, to finish pairing."),
          .required("code", .text, "Six digits for the device to show."),
          .required("expiresIn", .count, "The validity of the code in seconds."),
        ]))
    ], rate: .guarded, answerIsSecret: true)

  /// Looks up the code that the person enters, and accepts the device.
  package static let confirmPairing = Endpoint.post(
    "/devices/pair/confirm", "confirmPairing", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Returns which device shows this code; with `accept` the device is added to the "
      + "account. After five wrong codes in an hour the response is 429.",
    body: .json(ConfirmPairingBody.self),
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
    body: .json(FinishPairingBody.self),
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

  /// Lists the devices of a person.
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
    body: .json(AssignDeviceBody.self),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "There is no such device."),
      ErrorAnswer(.conflict, "Wrong state", "The device does not provide this type."),
    ])
}

/// The body of `POST /devices/pair/start`.
package struct StartPairingBody: JSONDocumented {
  /// The name of the device.
  package let name: String
  /// Its model.
  package let model: String
  /// The data types that it can provide; never empty.
  package let types: DataTypeSet

  /// Checks the content of a body.
  private init(name: String, model: String, types: [DataType]) throws(JSONError) {
    self.name = name
    self.model = model
    self.types = DataTypeSet(types)
    guard !types.isEmpty else {
      throw JSONError(.refused(sentence: "Name at least one data type."), offset: 0, path: "types")
    }
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("name", .line, "A name that the person recognises."),
    .required("model", .line),
    .required("types", .dataTypes, "The data types that it can provide."),
    make: StartPairingBody.init)
}

/// The body of `POST /devices/pair/confirm`.
package struct ConfirmPairingBody: JSONDocumented {
  /// The six digits that the device shows.
  package let code: String
  /// Whether the person adds the device to the account.
  package let accepts: Bool
  /// The number of the device that it replaces, if any.
  package let replaces: Int32?

  /// The fields.
  package static let document = JSONDocument(
    .required("code", .pairingCode, "The six digits."),
    .optional(
      "accept", .boolean,
      "True pairs the device; otherwise the call only returns its description.", else: false),
    .optional(
      "replaces", .deviceNumber, "The `deviceID` of a device to replace, whose token ends."),
    make: ConfirmPairingBody.init)
}

/// The body of `POST /devices/pair/finish`.
package struct FinishPairingBody: JSONDocumented {
  /// The identifier that the start answered.
  package let pairingID: String
  /// The secret that the start answered.
  package let secret: String

  /// The fields.
  package static let document = JSONDocument(
    .required("pairingID", .uuid),
    .required("pairingSecret", .string()),
    make: FinishPairingBody.init)
}

/// The body of `POST /devices/assign`.
package struct AssignDeviceBody: JSONDocumented {
  /// The data type.
  package let type: DataType
  /// The number of the device that provides it; nil for any device.
  package let device: Int32?

  /// The fields.
  package static let document = JSONDocument(
    .required("type", .dataType),
    .required("deviceID", .deviceNumberOrAny, "`any` accepts the type from any device."),
    make: AssignDeviceBody.init)
}
