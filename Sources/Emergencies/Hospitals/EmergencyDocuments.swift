import Domain
import ServiceKit
import Time

/// An emergency in the formats of emergency services' systems: an alert of the Common Alerting
/// Protocol 1.2 (OASIS) and, if a position is known, a location object (PIDF-LO, RFC 4119 and
/// 5491).
struct EmergencyDocuments: Sendable {
  /// The radius in kilometres around a position of unknown accuracy.
  private static let radius = "0.1"

  let message: EmergencyMessage

  /// The alert, as sent at a time.
  func alert(at time: Instant) -> String {
    let rule = message.row.rule.text(in: .english)
    let readings = message.readingLines.map(Self.escaped).joined(separator: "; ")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <alert xmlns="urn:oasis:names:tc:emergency:cap:1.2">
        <identifier>\(message.row.id)</identifier>
        <sender>trackme</sender>
        <sent>\(Self.capTime(time))</sent>
        <status>Actual</status>
        <msgType>Alert</msgType>
        <scope>Private</scope>
        <addresses>hospital</addresses>
        <info>
          <language>en</language>
          <category>Health</category>
          <event>\(rule)</event>
          <responseType>Assess</responseType>
          <urgency>Immediate</urgency>
          <severity>Severe</severity>
          <certainty>Likely</certainty>
          <onset>\(Self.capTime(message.row.suspectedAt))</onset>
          <headline>\(Self.escaped(message.name)): \(rule)</headline>
          <description>\(readings)</description>
          <area>
            <areaDesc>\(Self.escaped(message.place(in: .english, at: time)))</areaDesc>\(circle)
          </area>
        </info>
      </alert>
      """
  }

  private var circle: String {
    guard let point = message.details.position?.point else { return "" }
    return "\n      <circle>\(point.text) \(Self.radius)</circle>"
  }

  /// The location object; nil without a position.
  var location: String? {
    guard let position = message.details.position else { return nil }
    let coordinates = position.point.text.replacing(",", with: " ")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <presence xmlns="urn:ietf:params:xml:ns:pidf"
        xmlns:dm="urn:ietf:params:xml:ns:pidf:data-model"
        xmlns:gp="urn:ietf:params:xml:ns:pidf:geopriv10"
        xmlns:gml="http://www.opengis.net/gml" entity="pres:\(message.row.id)@trackme">
        <dm:device id="device">
          <gp:geopriv>
            <gp:location-info>
              <gml:Point srsName="urn:ogc:def:crs:EPSG::4326">
                <gml:pos>\(coordinates)</gml:pos>
              </gml:Point>
            </gp:location-info>
            <gp:usage-rules/>
          </gp:geopriv>
          <dm:deviceID>urn:uuid:\(message.row.id)</dm:deviceID>
          <dm:timestamp>\(position.time)</dm:timestamp>
        </dm:device>
      </presence>
      """
  }

  /// The protocol requires a numeric zone; `-00:00` is UTC (CAP 1.2, 3.3.2).
  private static func capTime(_ time: Instant) -> String {
    let seconds = Instant(millisecondsSince1970: time.secondsSince1970 * 1000)
    return seconds.description.replacing("Z", with: "-00:00")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
