// Removes everything that looks like a key from text that others wrote, before it is logged or returned to a caller. It
// removes too much rather than too little: an id of a vendor may look like a key.
import { containsCredential } from './credential.ts';

const hidden = '[hidden]';

/** Runs of characters other than white space, slash, quote, comma and bracket. */
const tokens = /[\w+=.~*%:@-]{8,}/g;
const lastToken = /[\w+=.~*%:@-]*$/;
/** Prefixes of the keys of vendors and of the gateway. */
const prefix =
  /(?:^|[^a-z0-9])(?:sk|pk|rk|gw|gsk|hf|xai|pplx|ghp|gho|glpat|xox[a-z])[-_]\S|(?:AIza|AKIA|ASIA)[\w-]{6}/i;
const longRun = /[A-Za-z0-9]{20,}/g;
const lettersMax = 32;
/**
 * base64url: a run of this many random characters contains each kind, nearly always digits, and far more capitals than
 * words do.
 */
const base64Url = /[\w-]{32,}/g;

/** The text with everything hidden that may be a key: whole, masked or partial. Linear in the length of the text. */
export function withoutKeyForms(text: string): string {
  return text.replace(tokens, (token) => (isKeyLike(token) ? hidden : token));
}

function isKeyLike(token: string): boolean {
  if (containsCredential(token) || prefix.test(token)) return true;
  if ((token.match(longRun) ?? []).some(isRandom)) return true;
  const mixed = token.match(base64Url) ?? [];
  return mixed.some(
    (run) => /[a-z]/.test(run) && (/\d/.test(run) ? /[A-Z]/.test(run) : capitals(run) * 6 > run.length),
  );
}

/** Words have no digits among their letters, and capitals only at their beginning. */
function isRandom(run: string): boolean {
  if (run.length > lettersMax || (/\d/.test(run) && /[A-Za-z]/.test(run))) return true;
  return capitals(run) * 4 > run.length && /[a-z]/.test(run);
}

function capitals(run: string): number {
  return (run.match(/[A-Z]/g) ?? []).length;
}

/** One line of at most `lengthMax` printable characters, without anything that looks like a key. */
export function printableLine(text: string, lengthMax: number): string {
  // The cut may go through a key, so the last token is removed.
  const bounded = text.length > lengthMax * 4 ? text.slice(0, lengthMax * 4).replace(lastToken, '') : text;
  const line = bounded.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const clean = withoutKeyForms(line);
  return clean.length > lengthMax ? `${clean.slice(0, lengthMax - 1)}…` : clean;
}
