// Changes that are not saved: a question before the reader leaves them.

import { t } from "../Client/language.js";
import { guard } from "../Client/router.js";
import { ask } from "./dialog.js";

/**
 * Asks before unsaved changes are lost by a link or by closing the tab.
 * @param {() => boolean} hasChanges
 * @param {AbortSignal} signal
 */
export function guardChanges(hasChanges, signal) {
  guard(() => !hasChanges() || ask({
    title: t("unsaved.title"), text: t("unsaved.text"), confirm: t("unsaved.leave"),
    isDestructive: true,
  }), signal);
  addEventListener("beforeunload", (event) => {
    if (hasChanges()) event.preventDefault();
  }, { signal });
}
