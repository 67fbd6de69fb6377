// Decides whether a text looks like a secret: random, neither words nor an example.

const ascii = 0x80;
const counts = new Uint16Array(ascii + 1);

/** Shannon entropy in bits per character, for texts below 65,536 units; all non-ASCII characters count as one. */
export function entropy(text: string): number {
  const { length } = text;
  counts.fill(0);
  for (let at = 0; at < length; at++) {
    const code = Math.min(text.charCodeAt(at), ascii);
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / length) * Math.log2(count / length);
  return bits;
}

/** For a token that is identified by its form: only examples such as "xxxx" or "1234567890" must be excluded. */
export function isRandom(token: string): boolean {
  return entropy(token) >= (token.length < 16 ? 2.2 : 3) && !ascending.test(token) && !token.endsWith('EXAMPLE');
}

export function isUuid(value: string): boolean {
  return uuid.test(value);
}

/** For a value that only its name identifies as secret. */
export function isSecretValue(value: string): boolean {
  if (isExample(value) || uuid.test(value) || path.test(value) || entropy(value) < 2.9) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((some) => some.test(value)).length;
  if (classes < 2 || !/[A-Za-z]/.test(value)) return false;
  return /^[0-9a-f]{32,}$/i.test(value) || !isWords(value);
}

/** Examples from manuals in place of a secret. */
export function isExample(value: string): boolean {
  return example.test(value) || ascending.test(value) || new Set(value).size <= 3;
}

const example =
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|token|none|null|true|false|admin|root|guest|test|user|changeme)\d{0,4}$|example|your|change.?me|placeholder|redacted|dummy|insert|x{4}|\*{3}|\.{3}|^some(?:pass|secret|token|key)|^[<${%[]|\$\{[^{}]*\}|\{\{[^{}]*\}\}|_here$/i;
const ascending = /0123456|1234567|abcdefg/i;
const uuid = /^(?:[a-z]+-){0,2}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const path = /^(?:\.{1,2}\/|~\/|\/[a-z]{2}|[a-z]+:\/\/|[A-Z]:\\)/;

/**
 * Whether a value consists of words. The test is its letter pairs: in words two thirds are common ones, in random text
 * a seventh. For text that could be a name in source code, also the length of its words, which are short in random
 * text.
 */
function isWords(value: string): boolean {
  if ((value.match(/\d+/g) ?? []).length >= digitGroupsMin) return false;
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  const pairs = words.flatMap(pairsOf);
  const share = pairs.filter((pair) => commonPairs.has(pair)).length / Math.max(1, pairs.length);
  if (pairs.length >= 4 && share >= 0.45) return true;
  if (!sourceName.test(value) || words.join('').length / words.length < 2.8) return false;
  return share >= 0.25 || value.includes('.');
}

/** Names have digits at their end or at two positions; random text has them everywhere. */
const digitGroupsMin = 4;
const sourceName = /^[A-Za-z_$][\w$.-]*$/;

function pairsOf(word: string): readonly string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2).toLowerCase());
}

/** The hundred most frequent pairs of English. */
const commonPairs = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce ' +
    'li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ' +
    'ad ol rt po we na ul ni ts mo ow'
  ).split(' '),
);
