import Images
import Requirements
import Testing

@Suite("Drawing")
struct CanvasTests {
  private static func canvas(_ width: Int, _ height: Int) -> Canvas {
    Canvas(
      width: width, height: height, background: Canvas.Colour(255, 255, 255),
      inks: [Canvas.Colour(0, 0, 0), Canvas.Colour(200, 0, 0)])
  }

  @Test("a drawing is a PNG that our own reader accepts unchanged", .tags(.RUN_10))
  func readable() throws {
    var canvas = Self.canvas(120, 63)
    canvas.draw(
      through: [Canvas.Point(x: 10, y: 10), Canvas.Point(x: 110, y: 50)], radius: 3, ink: 0)
    canvas.draw(discAt: Canvas.Point(x: 10, y: 10), radius: 6, ink: 1)
    let picture = try SentPicture(canvas.png)
    #expect((picture.kind, picture.width, picture.height) == (.png, 120, 63))
    #expect(picture.bytes == canvas.png)
    #expect(canvas.png != Self.canvas(120, 63).png)
  }

  @Test("points outside the canvas, or without an ink, are not drawn", .tags(.RUN_10))
  func beside() {
    var canvas = Self.canvas(50, 50)
    canvas.draw(discAt: Canvas.Point(x: -40, y: 20), radius: 5, ink: 0)
    canvas.draw(discAt: Canvas.Point(x: 20, y: 20), radius: 5, ink: 2)
    canvas.draw(
      through: [Canvas.Point(x: -1e9, y: -50), Canvas.Point(x: 1e9, y: -50)], radius: 5, ink: 0)
    #expect(canvas.png == Self.canvas(50, 50).png)
  }

  @Test("a line drawn back and forth is drawn once", .tags(.RUN_10))
  func repeated() {
    let ends = [Canvas.Point(x: 5, y: 5), Canvas.Point(x: 45, y: 30)]
    var once = Self.canvas(50, 50)
    once.draw(through: ends, radius: 4, ink: 0)
    var often = Self.canvas(50, 50)
    often.draw(through: (0..<2001).map { ends[$0 % 2] }, radius: 4, ink: 0)
    #expect(once.png.count <= often.png.count)
    #expect(Double(often.png.count) < 1.5 * Double(once.png.count))
  }
}
