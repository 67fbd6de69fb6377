// Tools that a vendor runs itself, by what they reach. With a stored provider key the organization's settings decide
// which classes pass: such a tool acts with the rights of the whole vendor account, and outside of its guardrails.

/** `egress`: reaches other hosts. `execution`: runs code at the vendor. */
export type OwnToolClass = 'egress' | 'execution';

/** Whether tools of a class pass. */
export type OwnToolSettings = Readonly<Record<OwnToolClass, boolean>>;

export const noOwnTools: OwnToolSettings = Object.freeze({ egress: false, execution: false });

/** With the caller's own key. */
export const allOwnTools: OwnToolSettings = Object.freeze({ egress: true, execution: true });

/** A kind of tool, a row of its format's table. */
export interface OwnToolKind {
  /**
   * All of these classes; empty if the client runs the tool, or if it reaches nothing. `account`: it reads what belongs
   * to the whole vendor account, or calls another model, so it passes with the caller's own key alone.
   */
  readonly needs: readonly OwnToolClass[] | 'account';
  /**
   * What it adds to the cost: a fee for each search and the tokens of its results, tokens that it reads alone, or
   * something that is not known.
   */
  readonly cost: 'nothing' | 'searches' | 'reads' | 'unknown';
}

/** A tool of a request. */
export interface OwnTool extends OwnToolKind {
  /** Path in the client's body. */
  readonly at: string;
  /** The most searches that the request allows; undefined if it sets no limit. */
  readonly usesMax?: number | undefined;
}

/** A tool that its format's table does not contain may do both. */
export const unknownTool: OwnToolKind = { needs: ['egress', 'execution'], cost: 'unknown' };

/** The credential of an attempt, and what the organization allows with it. */
export interface ToolRights {
  /** The key is the caller's, and so is everything that it can reach. */
  readonly isOwnKey: boolean;
  readonly ownTools: OwnToolSettings;
}

export function permits({ isOwnKey, ownTools }: ToolRights, { needs }: OwnToolKind): boolean {
  if (isOwnKey) return true;
  return needs !== 'account' && needs.every((one) => ownTools[one]);
}

export function rightsOf(target: {
  readonly providerKeyId: string | undefined;
  readonly ownTools: OwnToolSettings;
}): ToolRights {
  return { isOwnKey: target.providerKeyId === undefined, ownTools: target.ownTools };
}
