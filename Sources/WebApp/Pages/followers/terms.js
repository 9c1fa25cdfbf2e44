// The terms of a request, and the parts that can be accepted. Without DOM.

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /req/single/list"]["answer"]["requests"][number]} Request */
/** @typedef {Endpoints["POST /req/single/choice"]["body"]} Choice */

const day = 86_400;
const steps = [day, 7 * day, 30 * day, 90 * day, 180 * day, 365 * day, 730 * day, 1_825 * day];

/**
 * The shorter times, in seconds, for which a subscription can be accepted; none without one, and
 * none for a check-in, which lasts as long as its run.
 * @param {Pick<Request, "kind" | "subscribing" | "duration" | "to">} request
 * @param {number} [now] milliseconds since 1970
 * @returns {number[]}
 */
export function shorterDurations({ kind, subscribing, duration, to }, now = Date.now()) {
  if (!subscribing || kind === "check-in") return [];
  const rest = to === null ? Infinity : (Date.parse(to) - now) / 1000;
  const longest = Math.min(duration > 0 ? duration : Infinity, rest);
  return steps.filter((step) => step < longest);
}

/**
 * Whether a request can be accepted in part: fewer types, or a shorter time.
 * @param {Request} request
 */
export function canBeRestricted(request) {
  return request.dataTypes.length > 1 || shorterDurations(request).length > 0;
}

/**
 * The answer that accepts some types, for a shorter time if `duration` is not 0.
 * @param {Pick<Request, "reqID" | "dataTypes">} request
 * @param {Request["dataTypes"]} types
 * @param {number} duration seconds
 * @returns {Choice}
 */
export function partialChoice({ reqID, dataTypes }, types, duration) {
  return {
    reqID, choice: "accept",
    ...(types.length < dataTypes.length ? { dataTypes: types } : {}),
    ...(duration > 0 ? { duration } : {}),
  };
}

/** The parts of the page by the statuses of their requests. */
export const partStatuses = {
  pending: "pending",
  followers: "accepted,payment due",
  past: "declined,expired,ended",
};

/**
 * Whether the person may end a request: while it is accepted, and a check-in also after its run,
 * because the organiser sees name and email until then.
 * @param {Pick<Request, "status" | "kind" | "reason">} request
 */
export function canBeEnded({ status, kind, reason }) {
  if (status === "accepted" || status === "payment due") return true;
  return kind === "check-in" && status === "ended" && reason === "period over";
}

/**
 * Whether a third party's account is deleted; the API then replaces its texts.
 * @param {{company_name?: string}} recipient
 */
export function isDeleted(recipient) {
  return recipient.company_name === "deleted account";
}
