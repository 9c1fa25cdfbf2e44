// The page that a notice leads to.

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /notifications"]["answer"]["items"][number]} Notice */

/** @type {Record<Notice["kind"], string>} */
export const noticeIcons = {
  request: "company", answer: "check", ended: "people", room: "chart", security: "key",
  alarm: "alarm", run: "run",
};

/**
 * The address of the page where the reader can act on a notice.
 * @param {Pick<Notice, "kind" | "data">} notice
 * @param {"single" | "tp"} accountType of the reader
 * @returns {string}
 */
export function noticeTarget({ kind, data }, accountType) {
  const fields = /** @type {Record<string, unknown>} */ (
    typeof data === "object" && data !== null ? data : {});
  const { status, event, reqID, runID } = fields;
  const isPerson = accountType === "single";
  switch (kind) {
    case "request":
      return status === "pending" ? "/app/followers?part=pending" : followers(status);
    case "answer":
    case "ended":
      if (isPerson) return followers(status);
      return typeof reqID === "string"
        ? `/app/history/${encodeURIComponent(reqID)}` : "/app/history";
    case "room": return "/app/data";
    case "security": return event === "devicePaired" ? "/app/devices" : "/app/programs";
    case "alarm": return "/app/sos";
    case "run": return isPerson ? "/app/myrun" : organisersRun(event, runID);
  }
}

/** @param {unknown} status of a request */
function followers(status) {
  const isOpen = status === "accepted" || status === "payment due";
  return `/app/followers?part=${isOpen ? "followers" : "past"}`;
}

/**
 * @param {unknown} event
 * @param {unknown} runID
 */
function organisersRun(event, runID) {
  const isOver = event === "cancelled" || event === "no longer co-organiser";
  const known = typeof runID === "string" || typeof runID === "number";
  return known && !isOver
    ? `/app/organise/runs/${encodeURIComponent(String(runID))}` : "/app/organise/runs";
}
