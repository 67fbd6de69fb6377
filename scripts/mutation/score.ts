// The result of a mutation run as text: the score, and every mutant that no test detected, with the code it replaced.
import type { MutantResult } from '@stryker-mutator/api/core';

export interface Score {
  readonly killed: number;
  readonly survived: number;
  /** No test ran the code. */
  readonly uncovered: number;
  /** Code that runs when a module is loaded; its mutants are not tried. */
  readonly onLoad: number;
  readonly leftOut: number;
}

export function countScore(results: readonly MutantResult[]): Score {
  const count = (...statuses: readonly MutantResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length;
  return {
    killed: count('Killed', 'Timeout'),
    survived: count('Survived'),
    uncovered: count('NoCoverage'),
    onLoad: count('Ignored'),
    leftOut: count('CompileError'),
  };
}

export function scoreLine(room: string, { killed, survived, uncovered, onLoad, leftOut }: Score): string {
  const tried = killed + survived + uncovered;
  const percent = tried === 0 ? '–' : ((100 * killed) / tried).toFixed(1);
  return (
    `${room}: ${percent} % (${killed} of ${tried} mutants killed, ${survived} survived, ${uncovered} not covered; ` +
    `${leftOut} not in the sample, ${onLoad} run on load and are not tried)`
  );
}

/** @param read returns the text of a file, by its name in the result */
export function survivorLines(results: readonly MutantResult[], read: (file: string) => string): readonly string[] {
  return results
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map((result) => {
      const { line, column } = result.location.start;
      const original = shortened(textAt(read(result.fileName), result.location));
      const mark = result.status === 'NoCoverage' ? ' (not covered)' : '';
      const location = `${result.fileName}:${line}:${column}`;
      return `${location} ${result.mutatorName}${mark}: ${original} → ${shortened(result.replacement ?? '')}`;
    })
    .toSorted();
}

/** Lines and columns count from 1; the end is after the last character. */
function textAt(text: string, { start, end }: MutantResult['location']): string {
  const lines = text.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined))
    .join('\n');
}

const shownCharactersMax = 160;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= shownCharactersMax ? line : `${line.slice(0, shownCharactersMax)}…`;
}
