// The events of an emergency in their order. Without DOM.

/** @typedef {import("../../Elements/alarmState.js").Episode} Episode */
/**
 * @typedef {"suspected" | "asked" | "confirmed" | "hospital" | "hospitalTook" | "withdrawn"
 *   | "voice" | "voiceTook" | "number" | "mail" | "allClear" | "acknowledged" | "ended"} MomentKind
 */
/** @typedef {{time: string, kind: MomentKind, who: string}} Moment who: a name, or empty */

/**
 * @param {Episode} episode
 * @returns {Moment[]}
 */
export function timeline(episode) {
  /** @type {Moment[]} */
  const moments = [];
  /**
   * @param {string | undefined} time
   * @param {MomentKind} kind
   * @param {string} [who]
   */
  const add = (time, kind, who = "") => {
    if (time !== undefined) moments.push({ time, kind, who });
  };
  add(episode.suspectedAt, "suspected");
  add(episode.askedAt, "asked");
  add(episode.confirmedAt, "confirmed");
  for (const call of episode.calls) {
    const who = call.hospital ?? call.contact ?? "";
    if (call.allClear) add(call.calledAt, "allClear", who);
    else if (call.hospital !== null) add(call.calledAt, "hospital", who);
    else if (call.contact === undefined) add(call.calledAt, "number");
    else add(call.calledAt, call.voice ? "voice" : "mail", who);
    add(call.acknowledgedAt, call.hospital !== null ? "hospitalTook" : "voiceTook", who);
    add(call.withdrawnAt, "withdrawn", who);
  }
  const isNamed = moments.some(({ kind }) => kind === "hospitalTook" || kind === "voiceTook");
  if (!isNamed) add(episode.acknowledgedAt, "acknowledged");
  add(episode.endedAt, "ended");
  // Sorting is stable: events of the same time keep the order of the stages.
  return moments.sort((left, right) => Date.parse(left.time) - Date.parse(right.time));
}
