// Operations of a JSON Patch (RFC 6902), additions only: what a pod says for itself is never replaced or taken away.

export interface Addition {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** @param at names and indexes on the way to the place; "-" is the end of an array */
export function addition(at: readonly (string | number)[], value: unknown): Addition {
  return { op: 'add', path: at.map((step) => `/${escapeStep(String(step))}`).join(''), value };
}

/** RFC 6901: `~` first, else the tilde of `~1` would be taken for one. */
function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}
