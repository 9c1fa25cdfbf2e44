// The common domain library: the terms of TrackMe and their rules, as types whose values are always
// valid (fiscal code, P.IVA, email, instant, calendar day, data type, sample, position, single
// request) and as pure functions over them (statistics, days of a time zone, packing of samples,
// life cycle of a request). It imports nothing: no clock, no randomness, no HTTP, SQL or log. Time
// is an argument, input arrives as spans of UTF-8, and errors are small values with a complete
// sentence that never repeats the input.

/// A violated rule of the domain.
///
/// The description is one complete sentence for people and never contains the offending value: it
/// may appear in a problem's `detail` and in a log.
package protocol DomainError: Error, CustomStringConvertible, Equatable {}

/// A value that shows only its type, not its contents, when printed, reflected or interpolated.
///
/// Personal data conforms, so that it reaches a log or an error text only through an explicit
/// `text`.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
}

extension Redacted {
  /// The name of the type in angle brackets.
  package var description: String { "<\(Self.self)>" }

  /// The name of the type in angle brackets.
  package var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows nothing either.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
