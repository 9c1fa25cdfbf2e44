import Domain
import JSON
import Time

/// The JSON documents of the demo data.
enum DemoJSON {
  /// An object with text fields, and with `"replace": true` if `replace` is set.
  static func object(_ fields: [(String, String)], replace: Bool = false) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      for (name, value) in fields { $0.field(name, value) }
      if replace { $0.field("replace", true) }
    }
    return writer.bytes
  }

  /// An upload of samples of any types.
  static func upload(_ samples: [DemoSample]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.array("dataTypes") { for sample in samples { $0.value(sample.type) } }
      $0.array("values") { for sample in samples { $0.value(sample.value) } }
      $0.array("timestamp") { for sample in samples { $0.value(sample.time.description) } }
    }
    return writer.bytes
  }

  /// A single request for a month of heart rate and blood pressure.
  static func request(to email: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("email", email)
      $0.array("dataTypes") {
        for type in ["heartRate", "bloodPressureSystolic", "bloodPressureDiastolic"] {
          $0.value(type)
        }
      }
      $0.field("subscribing", true)
      $0.field("duration", 30 * 86_400)
    }
    return writer.bytes
  }

  /// The text of a member of a response, or nil.
  static func text(_ name: String, in bytes: [UInt8]) -> String? {
    do throws(JSONError) {
      var reader = JSONReader(bytes)
      try reader.beginObject()
      while let key = try reader.nextField() {
        if key.text == name { return try reader.string() }
      }
    } catch {
      return nil
    }
    return nil
  }
}
