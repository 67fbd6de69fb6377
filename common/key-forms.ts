// What has the form of a key, taken out of a text that somebody else has written, before it goes to a log or a caller. It takes out
// rather too much: an id of the vendor's may look like a key.
import { holdsCredential } from './credential.ts';

const hidden = '[hidden]';

/** Whatever has no white space, slash, quote, comma or bracket in it. */
const tokens = /[\w+=.~*%:@-]{8,}/g;
const lastToken = /[\w+=.~*%:@-]*$/;
/** Beginnings of keys of vendors and of the gateway. */
const prefix =
  /(?:^|[^a-z0-9])(?:sk|pk|rk|gw|gsk|hf|xai|pplx|ghp|gho|glpat|xox[a-z])[-_]\S|(?:AIza|AKIA|ASIA)[\w-]{6}/i;
const longRun = /[A-Za-z0-9]{20,}/g;
const lettersMax = 32;
/** base64url: of so many random characters some are of each kind, digits nearly always, and capitals far more than words have. */
const base64Url = /[\w-]{32,}/g;

/** The text without what may be a key, whole, masked or in part. Takes time linear in the text. */
export function withoutKeyForms(text: string): string {
  return text.replace(tokens, (token) => (isKeyLike(token) ? hidden : token));
}

function isKeyLike(token: string): boolean {
  if (holdsCredential(token) || prefix.test(token)) return true;
  if ((token.match(longRun) ?? []).some(isRandom)) return true;
  const mixed = token.match(base64Url) ?? [];
  return mixed.some(
    (run) => /[a-z]/.test(run) && (/\d/.test(run) ? /[A-Z]/.test(run) : capitals(run) * 6 > run.length),
  );
}

/** Words have no digits amid their letters, and capitals at their beginnings only. */
function isRandom(run: string): boolean {
  if (run.length > lettersMax || (/\d/.test(run) && /[A-Za-z]/.test(run))) return true;
  return capitals(run) * 4 > run.length && /[a-z]/.test(run);
}

function capitals(run: string): number {
  return (run.match(/[A-Z]/g) ?? []).length;
}

/** One line of at most so many characters that can be printed, without key forms. */
export function printableLine(text: string, lengthMax: number): string {
  // What is cut off may end within a key.
  const bounded = text.length > lengthMax * 4 ? text.slice(0, lengthMax * 4).replace(lastToken, '') : text;
  const line = bounded.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const clean = withoutKeyForms(line);
  return clean.length > lengthMax ? `${clean.slice(0, lengthMax - 1)}…` : clean;
}
