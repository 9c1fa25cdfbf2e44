// The server's clock, from the times of its answers: a countdown must not depend on a wrong clock
// of the phone.

export class ServerClock {
  constructor() {
    /** The least and greatest milliseconds by which the server's clock may be ahead. */
    this.least = -Infinity;
    this.greatest = Infinity;
  }

  /**
   * Narrows the range by the `Date` of an answer, which has whole seconds.
   * @param {string | null} date
   * @param {number} sentAt local milliseconds
   * @param {number} receivedAt local milliseconds
   */
  learn(date, sentAt, receivedAt) {
    const time = Date.parse(date ?? "");
    if (Number.isNaN(time)) return;
    this.narrow(time - receivedAt, time + 1_000 - sentAt);
  }

  /**
   * Narrows the range by the time of an event, which precedes its arrival.
   * @param {string | undefined} time
   * @param {number} receivedAt local milliseconds
   */
  learnEvent(time, receivedAt) {
    const made = Date.parse(time ?? "");
    if (!Number.isNaN(made)) this.narrow(made - receivedAt, Infinity);
  }

  /**
   * @param {number} least
   * @param {number} greatest
   */
  narrow(least, greatest) {
    const [low, high] = [Math.max(this.least, least), Math.min(this.greatest, greatest)];
    // The ranges exclude each other if a clock was set: the newer one counts.
    [this.least, this.greatest] = low <= high ? [low, high] : [least, greatest];
  }

  /** Milliseconds by which the server's clock is ahead; 0 before the first answer. */
  get offset() {
    if (Number.isFinite(this.least) && Number.isFinite(this.greatest)) {
      return (this.least + this.greatest) / 2;
    }
    // With only an event, the clock is a moment ahead of the event's time.
    return Number.isFinite(this.least) ? this.least : 0;
  }

  /**
   * The server's time.
   * @param {number} [now] local milliseconds
   */
  now(now = Date.now()) {
    return now + this.offset;
  }
}
