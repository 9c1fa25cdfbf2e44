// Work on one element that must not run at the same time.

/**
 * Creates a queue that runs one work after the other. Work that waits in it is not added again.
 * @returns {(work: () => Promise<void>) => Promise<void>} the promise of that work
 */
export function inTurn() {
  /** @type {Map<() => Promise<void>, Promise<void>>} */
  const waiting = new Map();
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (work) => {
    const known = waiting.get(work);
    if (known) return known;
    const done = last.then(() => {
      waiting.delete(work);
      return work();
    });
    waiting.set(work, done);
    // A failure belongs to the caller, and does not end the queue.
    last = done.catch(() => undefined);
    return done;
  };
}
