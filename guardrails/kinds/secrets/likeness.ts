// Whether a text looks like a secret: made by chance, neither words nor an example.

const ascii = 0x80;
const counts = new Uint16Array(ascii + 1);

/** Shannon's, in bits for a character. Of a text below 65,536 units; what is not ASCII counts as one character. */
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

/** Of a token whose form says what it is: only examples such as "xxxx" or "1234567890" are to be told from it. */
export function isRandom(token: string): boolean {
  return (
    entropy(token) >= (token.length < 16 ? 2.2 : 3) && !ascending.test(token) && !token.endsWith('EXAMPLE')
  );
}

export function isUuid(value: string): boolean {
  return uuid.test(value);
}

/** Of a value of which only its name says that it is secret. */
export function isSecretValue(value: string): boolean {
  if (isExample(value) || uuid.test(value) || path.test(value) || entropy(value) < 2.9) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((some) => some.test(value)).length;
  if (classes < 2 || !/[A-Za-z]/.test(value)) return false;
  return /^[0-9a-f]{32,}$/i.test(value) || !isWords(value);
}

/** What stands in manuals where a secret would. */
export function isExample(value: string): boolean {
  return example.test(value) || ascending.test(value) || new Set(value).size <= 3;
}

const example =
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|token|none|null|true|false|admin|root|guest|test|user|changeme)\d{0,4}$|example|your|change.?me|placeholder|redacted|dummy|insert|x{4}|\*{3}|\.{3}|^some(?:pass|secret|token|key)|^[<${%[]|\$\{[^{}]*\}|\{\{[^{}]*\}\}|_here$/i;
const ascending = /0123456|1234567|abcdefg/i;
const uuid = /^(?:[a-z]+-){0,2}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const path = /^(?:\.{1,2}\/|~\/|\/[a-z]{2}|[a-z]+:\/\/|[A-Z]:\\)/;

/**
 * Whether it is made of words: by its pairs of letters, of which two thirds are common ones in words and a seventh in what is made
 * by chance; of what could be a name in source code also by the length of its words, which chance makes short.
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

/** Names have digits at their end, or at two places; chance strews them. */
const digitGroupsMin = 4;
const sourceName = /^[A-Za-z_$][\w$.-]*$/;

function pairsOf(word: string): readonly string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2).toLowerCase());
}

/** The hundred of English that are the most frequent. */
const commonPairs = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce ' +
    'li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ' +
    'ad ol rt po we na ul ni ts mo ow'
  ).split(' '),
);
