// Phrases, in whatever letter case, width, accents and look-alike letters. A run of blanks and line ends matches any other. Of
// phrases that overlap the one that begins first is found, and of those that begin together the longest.
import { characterBefore } from '../characters.ts';
import type { WordsCheck } from '../definition.ts';
import { foldWritten } from '../fold.ts';
import { InvalidCheckError } from '../invalid-check.ts';
import type { Matcher } from '../matcher.ts';
import { PhraseAutomaton } from './phrase-automaton.ts';
import { PhraseScan } from './phrase-scan.ts';
import { skeletonOf } from './skeleton.ts';
import { isWithinWord } from './word-boundaries.ts';

const phrasesMax = 10_000;
const charactersMax = 200;

/** @throws InvalidCheckError */
export function compileWords({ phrases, withinWords }: WordsCheck): Matcher {
  if (phrases.length === 0) throw new InvalidCheckError('phrases', 'name at least one phrase');
  if (phrases.length > phrasesMax) throw new InvalidCheckError('phrases', `at most ${phrasesMax} phrases`);
  const automaton = new PhraseAutomaton(
    phrases.map(skeletonOfPhrase),
    (phrase, at) => withinWords || !isWithinWord(characterBefore(phrase, at), phrase.codePointAt(at) ?? 0),
  );
  return {
    inspect: (text, from, window) => new PhraseScan({ automaton, withinWords, text, from, window }).run(),
    // Of text made of the phrases; of prose 6 to 50.
    cost: 150 + 10 * automaton.endingsMax,
    likelyCost: 50,
  };
}

function skeletonOfPhrase(phrase: string, index: number): string {
  const refuse = (message: string) => new InvalidCheckError(`phrases[${index}]`, message);
  if (!phrase.isWellFormed()) throw refuse('not well-formed Unicode');
  if ([...phrase].length > charactersMax) throw refuse(`at most ${charactersMax} characters`);
  const skeleton = skeletonOf(foldWritten(phrase).text);
  if (skeleton === '') throw refuse('nothing in it can be seen');
  return skeleton;
}
