// The calls of a hospital: ringing, acknowledged and past ones. Without DOM.

/** @typedef {import("../../Client/types").Endpoints["GET /sos/calls"]["answer"]} Answer */
/** @typedef {Answer["calls"][number]} Call */
/**
 * @typedef {object} Entry
 * @property {Call} call
 * @property {"incoming" | "own" | "past"} place
 * @property {string} end the reason of its end in the API: a stage, or the reason of `sos.closed`
 */

const over = ["closed", "withdrawn", "aborted", "false alarm", "drill over", "unanswered"];

/** A board stays open for days: past calls beyond this number are read again on demand. */
export const pastMax = 50;

/**
 * A call in the state that the list of the API reports.
 * @param {Call} call
 * @returns {Entry}
 */
export function entryOf(call) {
  if (over.includes(call.stage)) return { call, place: "past", end: call.stage };
  if (call.acknowledgedAt !== undefined) return { call, place: "own", end: "" };
  return call.stage === "acknowledged"
    ? { call, place: "past", end: "acknowledged" }
    : { call, place: "incoming", end: "" };
}

export class CallBoard {
  constructor() {
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    /** @type {Map<string, string>} ends by episode whose call is not known yet */
    this.ends = new Map();
  }

  /**
   * Takes a page of `GET /sos/calls`.
   * @param {Call[]} calls
   */
  takeList(calls) {
    for (const call of calls) {
      const old = this.entries.get(call.episodeID);
      const entry = entryOf(call);
      // A list that was read before the end arrived must not make the call ring again.
      if (old?.place === "past" && entry.place !== "past") continue;
      if (old?.place === "own" && entry.place === "incoming") continue;
      this.put({ ...entry, end: old?.end || entry.end });
    }
  }

  /**
   * Takes the data of `sos.called`.
   * @param {any} data
   * @returns {boolean} whether it is a new call
   */
  takeCalled(data) {
    if (typeof data?.episodeID !== "string" || this.entries.has(data.episodeID)) return false;
    const { cap: _cap, pidfLo: _pidfLo, ...fields } = data;
    this.put({ call: { stage: "dispatched", ...fields }, place: "incoming", end: "" });
    return true;
  }

  /**
   * Takes the data of `sos.closed`.
   * @param {any} data
   */
  takeClosed(data) {
    if (typeof data?.episodeID === "string") this.close(data.episodeID, data.reason ?? "closed");
  }

  /** @param {Entry} entry */
  put(entry) {
    const { episodeID } = entry.call;
    const end = this.ends.get(episodeID);
    if (end !== undefined) {
      this.ends.delete(episodeID);
      entry.place = "past";
      entry.end = end;
    }
    this.entries.set(episodeID, entry);
    this.limit();
  }

  /**
   * Marks a call as acknowledged by this hospital.
   * @param {string} episodeID
   * @param {string} time
   */
  acknowledge(episodeID, time) {
    const entry = this.entries.get(episodeID);
    if (!entry || entry.place === "past") return;
    entry.place = "own";
    entry.call = { ...entry.call, stage: "acknowledged", acknowledgedAt: time };
  }

  /**
   * Marks a call as past.
   * @param {string} episodeID
   * @param {string} reason
   */
  close(episodeID, reason) {
    const entry = this.entries.get(episodeID);
    if (!entry) {
      this.ends.set(episodeID, reason);
      for (const id of this.ends.keys()) {
        if (this.ends.size <= pastMax) break;
        this.ends.delete(id);
      }
      return;
    }
    // The outcome reported here is more precise than the event that follows it.
    if (entry.place === "past") return;
    entry.place = "past";
    entry.end = reason;
    this.limit();
  }

  limit() {
    for (const { call } of this.list("past").slice(pastMax)) this.entries.delete(call.episodeID);
  }

  /**
   * The calls of a part of the board, newest first.
   * @param {Entry["place"]} place
   */
  list(place) {
    return [...this.entries.values()].filter((entry) => entry.place === place)
      .sort((left, right) => Date.parse(right.call.calledAt) - Date.parse(left.call.calledAt));
  }
}
