import { expect, it } from 'vitest';
import { roundsOf, startingSeed } from '../support/seed.ts';
import { talkFormats } from './talk-requests.ts';
import { fuzzTalks } from './talks-fuzz.ts';

const seed = startingSeed();

it(`a conversation is the same in every format, there and back, but for what is named (seeds from ${seed})`, async () => {
  const outcomes = await fuzzTalks({ seed, cases: roundsOf(60) });
  // Requests that are all refused would prove little.
  const same = [...outcomes.keys()].filter((outcome) => outcome.includes(': same there'));
  expect(new Set(same.map((outcome) => outcome.split(' ')[0])).size).toBe(talkFormats.length);
  expect(same.length).toBeGreaterThanOrEqual(talkFormats.length * 5);
  // Only files, which that provider has none of.
  const refused = [...outcomes.keys()].filter((outcome) => outcome.includes(': refused'));
  expect(refused.filter((outcome) => !outcome.endsWith(' to studio-ai: refused messages[#].content[#]'))).toEqual([]);
});
