// Operations of a JSON Patch (RFC 6902). Only additions: a pod's own values are never replaced or removed.

export interface Addition {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** @param at names and indexes on the way to the location; "-" is the end of an array */
export function addition(at: readonly (string | number)[], value: unknown): Addition {
  return { op: 'add', path: at.map((step) => `/${escapeStep(String(step))}`).join(''), value };
}

/** RFC 6901: `~` is escaped first, because `~1` contains a tilde. */
function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}
