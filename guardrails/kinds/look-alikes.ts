// Letters that look like a Latin one: a selection from Unicode's confusables (UTS #39, confusables.txt), with letters
// that differ from a Latin one by a stroke. Keyed by lower-case letters; a capital counts as its lower-case letter.
// Latin letters and digits are not mapped: 0 is not o, and 1 is not l.

const lookAlikesOf = {
  a: 'аαɑᴀ',
  b: 'вьβʙƅ',
  c: 'сᴄⲥ',
  d: 'ԁᴅɗđ',
  e: 'еєҽεɛᴇ',
  f: 'ƒꜰ',
  g: 'ɡԍցɢ',
  h: 'һнհħʜ',
  i: 'іιɩɪ',
  j: 'јյᴊ',
  k: 'кκқᴋ',
  l: 'ӏłʟ',
  m: 'мμᴍ',
  n: 'ηոռɴ',
  o: 'оοσօøᴏⲟ',
  p: 'рρᴘ',
  q: 'ԛգ',
  r: 'гᴦʀ',
  s: 'ѕʂꜱ',
  t: 'тτŧᴛ',
  u: 'υսᴜ',
  v: 'νѵᴠ',
  w: 'ԝωѡɯᴡ',
  x: 'хχ',
  y: 'уγүʏɣ',
  z: 'ʐᴢ',
} as const;

/** The Latin letter for each look-alike. */
export const lookAlikes: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikesOf).flatMap(([letter, others]) => [...others].map((other) => [other, letter])),
);
