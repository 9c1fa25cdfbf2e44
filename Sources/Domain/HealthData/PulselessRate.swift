// Heart rates that no living person has for long: a heart that stops, or a fault of the sensor.
// AutomatedSOS judges them (docs/facts.md, SOS, loss of pulse); they are never stored as samples.

extension SampleValue {
  /// Heart rates without a pulse, in BPM.
  package static let pulseless: Range<Double> = 0..<20

  /// Reads the text of a value as `init(utf8:of:)` does, but takes heart rates without a pulse too.
  package init(judged utf8: Span<UInt8>, of type: DataType) throws(SampleValueError) {
    do throws(SampleValueError) {
      try self.init(utf8: utf8, of: type)
    } catch {
      guard error == .outOfRange(.heartRate), let rate = Double(decimal: utf8),
        Self.pulseless.contains(rate)
      else { throw error }
      self = .number(rate == 0 ? 0 : rate)
    }
  }

  /// The same for a value that arrived as a number.
  package init(judged number: Double, of type: DataType) throws(SampleValueError) {
    do throws(SampleValueError) {
      try self.init(number, of: type)
    } catch {
      guard error == .outOfRange(.heartRate), Self.pulseless.contains(number) else { throw error }
      self = .number(number == 0 ? 0 : number)
    }
  }

  /// Whether it is a heart rate without a pulse.
  package func isPulseless(of type: DataType) -> Bool {
    type == .heartRate && number.map { Self.pulseless.contains($0) } ?? false
  }
}
