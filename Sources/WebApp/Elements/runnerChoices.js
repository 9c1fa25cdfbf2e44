// A runner's choices in a run: the name, and its visibility to spectators.

import { t } from "../Client/language.js";
import { checkbox, field } from "./form.js";

/**
 * @typedef {object} Choices
 * @property {string} [runnerName]
 * @property {boolean} showHealth
 * @property {boolean} findable
 * @property {boolean} findableByName
 */

/**
 * The fields of the choices. A search by full name requires being findable.
 * @param {Choices} choices
 */
export function choiceFields({ runnerName = "", showHealth, findable, findableByName }) {
  const name = field({
    name: "runnerName", label: t("runnerChoices.name"), hint: t("runnerChoices.nameHint"),
    required: false, value: runnerName, autocomplete: "nickname", attributes: { maxlength: 200 },
  });
  const health = checkbox({
    name: "showHealth", label: t("runnerChoices.showHealth"), checked: showHealth,
  });
  const found = checkbox({
    name: "findable", label: t("runnerChoices.findable"), checked: findable,
  });
  const foundByName = checkbox({
    name: "findableByName", label: t("runnerChoices.findableByName"), checked: findableByName,
  });
  const adapt = () => {
    foundByName.control.disabled = !found.control.checked;
  };
  found.control.addEventListener("change", adapt);
  adapt();
  return {
    elements: [name.element, health.element, found.element, foundByName.element],
    /** The body of a request; the name is left out if it is empty. */
    values: () => ({
      ...(name.control.value.trim() ? { runnerName: name.control.value.trim() } : {}),
      showHealth: health.control.checked, findable: found.control.checked,
      findableByName: found.control.checked && foundByName.control.checked,
    }),
  };
}
