// The differences between two choices of data types and of their devices.

/** @typedef {import("../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["POST /settings/single/data"]["body"]} ImportedTypes */
/** @typedef {ImportedTypes["types"][number]} DataTypeName */
/** @typedef {Endpoints["GET /devices"]["answer"]["devices"][number]} Device */

/**
 * The choice for a data type: whether it is imported, and from which device.
 * @typedef {object} TypeChoice
 * @property {DataTypeName} type
 * @property {boolean} isOn
 * @property {string} device its `deviceID`, or `any`
 */

/**
 * The choices that the API has stored.
 * @param {ImportedTypes} imported
 * @param {readonly Pick<Device, "deviceID" | "assignedTypes">[]} devices
 * @returns {TypeChoice[]}
 */
export function storedChoices({ types, enabled }, devices) {
  return types.map((type, index) => ({
    type, isOn: enabled[index] ?? true,
    device: devices.find(({ assignedTypes }) => assignedTypes.includes(type))?.deviceID ?? "any",
  }));
}

/**
 * The types that are switched on or off; null for none.
 * @param {readonly TypeChoice[]} before
 * @param {readonly TypeChoice[]} after
 * @returns {ImportedTypes | null}
 */
export function switchedTypes(before, after) {
  const changed = after.filter(({ type, isOn }) =>
    before.find((each) => each.type === type)?.isOn !== isOn);
  if (changed.length === 0) return null;
  return { types: changed.map(({ type }) => type), enabled: changed.map(({ isOn }) => isOn) };
}

/**
 * The types that are switched on although no device provides them: nothing of them is imported.
 * @param {ImportedTypes | null} switched
 * @param {readonly Pick<Device, "types">[]} devices
 */
export function withoutSource(switched, devices) {
  return (switched?.types ?? []).filter((type, index) => switched?.enabled[index]
    && !devices.some(({ types }) => types.includes(type)));
}

/**
 * The types whose device changes.
 * @param {readonly TypeChoice[]} before
 * @param {readonly TypeChoice[]} after
 * @returns {Endpoints["POST /devices/assign"]["body"][]}
 */
export function assignments(before, after) {
  return after
    .filter(({ type, device }) => before.find((each) => each.type === type)?.device !== device)
    .map(({ type, device }) => ({ type, deviceID: device }));
}
