// Finds phrases. Letter case, width, accents and look-alike letters are ignored, and a run of blanks and line ends
// matches any other such run. If phrases overlap, the one that begins first is found; if they begin together, the
// longest.
import { characterBefore } from '../characters.ts';
import type { PhrasesCheck } from '../definition.ts';
import { foldWritten } from '../fold.ts';
import { InvalidCheckError } from '../invalid-check.ts';
import type { ReadMatcher } from '../read-twice.ts';
import { PhraseAutomaton } from './phrase-automaton.ts';
import { PhraseScan } from './phrase-scan.ts';
import { blank, skeletonOf, skeletonUnit } from './skeleton.ts';
import { isWithinWord } from './word-boundaries.ts';

const phrasesMax = 10_000;
const charactersMax = 200;

/** @throws InvalidCheckError */
export function compilePhrases({ phrases, withinWords }: PhrasesCheck): ReadMatcher {
  if (phrases.length === 0) throw new InvalidCheckError('phrases', 'name at least one phrase');
  if (phrases.length > phrasesMax) throw new InvalidCheckError('phrases', `at most ${phrasesMax} phrases`);
  const skeletons = phrases.map(skeletonOfPhrase);
  const hasBackslash = skeletons.some((skeleton) => skeleton.includes('\\'));
  const automaton = new PhraseAutomaton(
    skeletons,
    (phrase, at) => withinWords || !isWithinWord(characterBefore(phrase, at), phrase.codePointAt(at) ?? 0),
  );
  return {
    inspect: (text, from, window) => new PhraseScan({ automaton, withinWords, text, from, window }).run(),
    // Measured on text made of the phrases; prose costs 6 to 50.
    cost: 150 + 10 * automaton.endingsMax,
    likelyCost: 50,
    // Every phrase without a backslash is also found in the decoded text.
    asWritten: {
      mayFind: (written) => hasBackslash || beginsBehindBackslash(written, automaton),
      counts: (raw, { start, end }) => isLetterOfEscape(raw, start) || raw.slice(start, end).includes('\\'),
    },
  };
}

/** Whether this is the letter of an escape, as the n in `C:\next`. */
function isLetterOfEscape(text: string, at: number): boolean {
  return text.charAt(at - 1) === '\\' && 'bfnrt'.includes(text.charAt(at));
}

function beginsBehindBackslash(written: string, automaton: PhraseAutomaton): boolean {
  for (let at = written.indexOf('\\') + 1; at > 0; at = written.indexOf('\\', at) + 1)
    if (isLetterOfEscape(written, at) && mayBegin(written, at, automaton)) return true;
  return false;
}

/** @returns true also if the text ends inside the phrase */
function mayBegin(written: string, begin: number, automaton: PhraseAutomaton): boolean {
  let state = 0;
  let read = 0;
  let previous = 0;
  for (let at = begin; at < written.length; at++) {
    const unit = skeletonUnit(written.charCodeAt(at));
    if (unit === blank && previous === blank) continue;
    previous = unit;
    state = read === 0 ? automaton.first(unit) : automaton.next(state, unit);
    if (automaton.depth(state) <= read) return false;
    read++;
    if (automaton.phrase(state) !== 0) return true;
  }
  return true;
}

function skeletonOfPhrase(phrase: string, index: number): string {
  const refuse = (message: string) => new InvalidCheckError(`phrases[${index}]`, message);
  if (!phrase.isWellFormed()) throw refuse('not well-formed Unicode');
  if ([...phrase].length > charactersMax) throw refuse(`at most ${charactersMax} characters`);
  const skeleton = skeletonOf(foldWritten(phrase).text);
  if (skeleton === '') throw refuse('nothing in it can be seen');
  return skeleton;
}
