// Values of forms that this tab keeps until they are sent. They belong to one reader.

const prefix = "trackme.draft.";
const readerKey = "trackme.draftReader";

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Store */

/**
 * Forgets the drafts of readers other than the present one. Without a session they stay, so that
 * their reader finds them after the next login.
 * @param {string} reader the email; empty without a session
 * @param {Store} [storage]
 */
export function keepDraftsOf(reader, storage = sessionStorage) {
  if (reader === "") return;
  if (storage.getItem(readerKey) !== reader) forgetDrafts(storage);
  storage.setItem(readerKey, reader);
}

/**
 * Forgets all drafts, with a logout.
 * @param {Store} [storage]
 */
export function forgetDrafts(storage = sessionStorage) {
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
  for (const name of names) if (name.startsWith(prefix)) storage.removeItem(name);
  storage.removeItem(readerKey);
}
