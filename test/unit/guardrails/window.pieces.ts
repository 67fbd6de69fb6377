// Sends a text through guards in pieces, records what they report, and compares the result with that of the whole text.
import { expect } from 'vitest';
import { fold } from '../../../guardrails/fold.ts';
import type { Matcher } from '../../../guardrails/matcher.ts';
import { BlockedError, type Guard, TextWindow } from '../../../guardrails/window.ts';
import type { Random } from '../../support/access/random.ts';

export interface Case {
  readonly name: string;
  readonly matcher: Matcher;
  readonly action: 'block' | 'keep' | 'redact';
}

export interface Outcome {
  readonly left: string;
  /** The name of the case that blocked; undefined when none did. */
  readonly blockedBy: string | undefined;
  /**
   * The matches of each case, in order. Cases that keep have matches only when nothing blocked, because they do not
   * wait.
   */
  readonly found: readonly (readonly string[])[];
}

/** @param pieces the last one is sent with the end, so a text in one piece is a whole text */
export function through(cases: readonly Case[], pieces: readonly string[], window: number): Outcome {
  const found = cases.map((): string[] => []);
  const guards = cases.map(({ matcher, action }, rank) => ({
    matcher,
    replacement: action === 'redact' ? (value: string, label: string) => `[${label} of ${rank}: ${value}]` : action,
    found: (label: string) => void found[rank]?.push(label),
  }));
  const { left, blocking } = run(guards, pieces, window);
  const blocked = cases.find((_, rank) => blocking !== undefined && guards[rank] === blocking);
  const reported = found.map((labels, rank) => (blocked && cases[rank]?.action === 'keep' ? [] : labels));
  return { left, blockedBy: blocked?.name, found: reported };
}

/** Whether all matches fit into the window; nothing is guaranteed for longer ones. */
export function fits(cases: readonly Case[], text: string, window: number): boolean {
  const inspected = { raw: text, folded: fold(text), isEnd: true };
  return cases.every(({ matcher }) =>
    matcher.inspect(inspected, 0, window).findings.every(({ start, end }) => end - start <= window),
  );
}

/** Cuts the text into pieces of 1 to `max` units, also within surrogate pairs. */
export function cut(text: string, max: number, random: Random): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0)
    pieces.push(text.slice(at, at + 1 + random.below(max)));
  return pieces;
}

export interface Comparison {
  readonly cases: readonly Case[];
  readonly text: string;
  readonly pieces: readonly string[];
  readonly window: number;
}

/** Expects the same result from pieces as from the whole text. @param what names the comparison in a failure */
export function compare({ cases, text, pieces, window }: Comparison, what: string): void {
  const whole = through(cases, [text], window);
  const inPieces = through(cases, pieces, window);
  const named = `${what}, window ${window}, pieces ${JSON.stringify(pieces)}`;
  expect(inPieces.blockedBy, named).toBe(whole.blockedBy);
  expect(inPieces.found, named).toEqual(whole.found);
  if (whole.blockedBy === undefined) expect(inPieces.left, named).toBe(whole.left);
  else expect(unblocked(cases, text, window).startsWith(inPieces.left), named).toBe(true);
}

/**
 * How much text is released before a block depends on the pieces. It is a prefix of the text that a replacement in
 * place of the block would release.
 */
function unblocked(cases: readonly Case[], text: string, window: number): string {
  return through(
    cases.map((one) => (one.action === 'block' ? { ...one, action: 'redact' } : one)),
    [text],
    window,
  ).left;
}

function run(
  guards: readonly Guard[],
  pieces: readonly string[],
  windowLength: number,
): { left: string; blocking?: Guard } {
  const window = new TextWindow(guards, windowLength);
  let left = '';
  try {
    for (const piece of pieces.slice(0, -1)) left += window.push(piece);
    left += window.end(pieces.at(-1));
    return { left };
  } catch (error) {
    if (!(error instanceof BlockedError)) throw error;
    return { left, blocking: error.guard };
  }
}
