// Letters that look like a Latin one: a selection from Unicode's confusables (UTS #39, confusables.txt), with the letters that
// differ from a Latin one by a stroke. By small letters; a capital counts as its small letter does. Latin letters and digits stand
// for themselves: 0 is no o, 1 no l.

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

/** The Latin letter by its look-alike. */
export const lookAlikes: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikesOf).flatMap(([letter, others]) => [...others].map((other) => [other, letter])),
);
