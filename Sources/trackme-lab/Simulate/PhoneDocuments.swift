import AutomatedSOS
import Domain
import JSON
import Time

/// The JSON documents sent by a simulated phone.
enum PhoneDocuments {
  /// The description of the device for pairing.
  static var device: [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("name", "Simulated phone")
      $0.field("model", "trackme-lab simulate")
      $0.field("types", VitalSign.types.map(\.name))
    }
    return writer.bytes
  }

  /// An upload.
  static func upload(_ signs: [VitalSign]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.array("dataTypes") { for sign in signs { $0.value(sign.type.name) } }
      $0.array("values") { for sign in signs { $0.value(sign.text) } }
      $0.array("timestamp") { for sign in signs { $0.value(sign.time.description) } }
    }
    return writer.bytes
  }

  /// An alert with the readings that caused it.
  static func alert(_ rule: Rule, _ signs: [VitalSign], at position: GeoPoint?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("rule", rule.apiName)
      $0.array("readings") { writer in
        for sign in signs {
          writer.object {
            $0.field("dataType", sign.type.name)
            $0.field("value", sign.text)
            $0.field("timestamp", sign.time.description)
          }
        }
      }
      $0.fieldIfPresent("coordinate", position?.text)
    }
    return writer.bytes
  }
}
