// Watching a run: its event stream, or polling where the stream does not arrive.

import { call, Problem } from "./api.js";
import { follow } from "./events.js";
import { LivePicture } from "./livePicture.js";
import { pointOf } from "../Elements/mapMath.js";

/** How long the stream may be silent at first, or cut off, before polling takes over. */
const streamPatience = 8_000;
const pollPause = 3_000;

/**
 * @typedef {object} Watcher
 * @property {AbortSignal} signal ends the watching
 * @property {(picture: LivePicture) => void} onChange called after each change
 * @property {(cutOffSince: Date | null) => void} onConnection null: connected
 * @property {() => void} onEnd called once, when the run is over
 * @property {(problem: Problem) => void} onRefusal the run can no longer be watched
 */

/**
 * Watches a run until it is over or the signal is aborted.
 * @param {number} runID
 * @param {Watcher} watcher
 */
export function watchRun(runID, { signal, onChange, onConnection, onEnd, onRefusal }) {
  const picture = new LivePicture();
  const watching = new AbortController();
  signal.addEventListener("abort", () => watching.abort(), { once: true });
  let stream = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isPolling = false;
  /** @type {Date | null} */
  let cutOffSince = null;

  const end = () => {
    if (watching.signal.aborted) return;
    watching.abort();
    onEnd();
  };
  /** @param {Date | null} since */
  const connection = (since) => {
    if (watching.signal.aborted || (since === null) === (cutOffSince === null)) return;
    cutOffSince = since;
    onConnection(since);
  };

  const poll = async () => {
    try {
      const answer = await call("POST /t4r/active/specUpdate", {
        body: { runID }, signal: watching.signal,
      });
      if (!isPolling || watching.signal.aborted) return;
      picture.polled(answer, pointOf);
      connection(null);
      onChange(picture);
      if (answer.state === "ended") {
        end();
        return;
      }
    } catch (problem) {
      if (watching.signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      if (!problem.isTemporary) {
        watching.abort();
        onRefusal(problem);
        return;
      }
      connection(cutOffSince ?? new Date());
    }
    if (isPolling) timer = setTimeout(() => void poll(), pollPause);
  };
  const startPolling = () => {
    if (isPolling || watching.signal.aborted) return;
    isPolling = true;
    void poll();
  };
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(startPolling, streamPatience);
  };
  const arrived = () => {
    isPolling = false;
    clearTimeout(timer);
    connection(null);
    onChange(picture);
  };

  const start = () => {
    stream.abort();
    if (watching.signal.aborted) return;
    stream = new AbortController();
    picture.expectFull();
    // Each connection begins with a full picture, so the number of the last event is not needed.
    follow(`/t4r/active/stream?runID=${runID}`, {
      signal: stream.signal,
      events: {
        positions: (event) => {
          if (picture.positions(event)) arrived();
          // Changes of another picture: polling replaced it, or some were lost.
          else start();
        },
        placings: (event) => {
          if (picture.number === null) return;
          picture.placings(event);
          onChange(picture);
        },
        ended: end,
      },
      onConnection: (since) => {
        if (since === null) return;
        if (!isPolling) {
          connection(since);
          wait();
        }
      },
    });
    if (!isPolling) wait();
  };
  watching.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    stream.abort();
  }, { once: true });
  start();
}
