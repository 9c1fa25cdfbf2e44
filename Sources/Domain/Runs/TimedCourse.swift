/// The course of a run together with when it begins and ends: all that progress is measured on.
package struct TimedCourse: Sendable {
  /// The course.
  package let course: Course
  /// From the start to the end of the run, which is not in it.
  package let times: RunTimes

  /// A course during these times.
  package init(_ course: Course, during times: RunTimes) {
    self.course = course
    self.times = times
  }
}
