/// The course of a run with its start and end: everything that progress depends on.
package struct TimedCourse: Sendable {
  /// The course.
  package let course: Course
  /// The start and the end of the run.
  package let times: RunTimes

  /// Creates a course with these times.
  package init(_ course: Course, during times: RunTimes) {
    self.course = course
    self.times = times
  }
}
