// Heart rates that no living person can have for long: either a cardiac arrest or a sensor fault.
// AutomatedSOS judges them (docs/facts.md, SOS, loss of pulse); they are never stored as samples.

extension SampleValue {
  /// Heart rates without a pulse, in BPM.
  package static let pulseless: Range<Double> = 0..<20

  /// Parses a value as `init(utf8:of:)` does, but also accepts heart rates without a pulse.
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

  /// Checks a number as `init(_:of:)` does, but also accepts heart rates without a pulse.
  package init(judged number: Double, of type: DataType) throws(SampleValueError) {
    do throws(SampleValueError) {
      try self.init(number, of: type)
    } catch {
      guard error == .outOfRange(.heartRate), Self.pulseless.contains(number) else { throw error }
      self = .number(number == 0 ? 0 : number)
    }
  }

  /// Whether the value is a heart rate without a pulse.
  package func isPulseless(of type: DataType) -> Bool {
    type == .heartRate && number.map { Self.pulseless.contains($0) } ?? false
  }
}
