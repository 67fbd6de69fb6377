// Tools that a vendor runs itself, by what they reach. With a stored provider key the organization's settings decide
// which classes pass: such a tool acts with the rights of the whole vendor account, and outside of its guardrails.

/** `egress`: reaches other hosts. `execution`: runs code at the vendor. */
export type OwnToolClass = 'egress' | 'execution';

/** Whether tools of a class pass. */
export type OwnToolSettings = Readonly<Record<OwnToolClass, boolean>>;

export const noOwnTools: OwnToolSettings = Object.freeze({ egress: false, execution: false });

/** With the caller's own key. */
export const allOwnTools: OwnToolSettings = Object.freeze({ egress: true, execution: true });

/** A tool that a format's table does not contain may do both. */
export const unknownTool: readonly OwnToolClass[] = Object.freeze(['egress', 'execution']);

/** Whether a tool that needs these classes passes. A tool without a class reaches nothing at the vendor. */
export function permits(settings: OwnToolSettings, classes: readonly OwnToolClass[]): boolean {
  return classes.every((one) => settings[one]);
}
