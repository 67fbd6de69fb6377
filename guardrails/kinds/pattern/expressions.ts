// Compiles the operators' regular expressions with RE2 in JavaScript, which always takes linear time. The only importer
// of re2js.
import { RE2JS, RE2Set } from 're2js';
import { InvalidCheckError } from '../../invalid-check.ts';
import { isEmptyPossible, longestMatch, type Program } from './program.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Expressions {
  /** Indexes of the expressions that match anywhere in the text. Many times faster than finding the locations. */
  foundIn(text: string): readonly number[];
  /** The leftmost match of one expression that begins at `from` or after it; the text before is context. */
  find(index: number, text: string, from: number): Span | undefined;
  /** The program of all expressions together. */
  readonly program: Program;
  /** Length of the longest possible match of any expression, in UTF-16 units. */
  readonly longest: number;
  /** The program of each expression, in order. */
  readonly programs: readonly Program[];
}

/**
 * Maximum of instructions for one pattern and for all patterns of a guardrail, as counted by RE2. RE2 itself allows 1.4
 * million, which a pattern of a thousand characters reaches; 1,000 active instructions take 40 microseconds per
 * character of text.
 */
export const instructionsMax = { pattern: 1_000, guardrail: 10_000 } as const;
/** Memory of the automaton that RE2 builds while it reads texts. When it is full, RE2 starts a new one. */
const automatonBytesMax = 2 * 1024 * 1024;

/** @throws InvalidCheckError */
export function compileExpressions(patterns: readonly string[]): Expressions {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, automatonBytesMax);
  let instructions = 0;
  const compiled = patterns.map((pattern, index) => {
    const expression = compileExpression(pattern, `patterns[${index}]`);
    instructions += expression.programSize();
    if (instructions > instructionsMax.guardrail) {
      throw new InvalidCheckError(`patterns[${index}]`, `${tooLarge(instructions)} with those before it`);
    }
    set.add(pattern);
    return expression;
  });
  set.compile();
  const program = programOf(set.prog);
  return {
    foundIn: (text) => set.match(text),
    find(index, text, from) {
      const matcher = compiled[index]?.matcher(text);
      return matcher?.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
    program,
    longest: longestMatch(program),
    programs: compiled.map((expression) => programOf(expression.re2().prog)),
  };
}

function compileExpression(pattern: string, field: string): RE2JS {
  try {
    // No flags, so neither look-behinds nor other extensions of this engine are available.
    const expression = RE2JS.compile(pattern);
    const instructions = expression.programSize();
    if (instructions > instructionsMax.pattern) throw new InvalidCheckError(field, tooLarge(instructions));
    if (isEmptyPossible(programOf(expression.re2().prog))) throw new InvalidCheckError(field, 'matches the empty text');
    return expression;
  } catch (cause) {
    if (cause instanceof InvalidCheckError) throw cause;
    throw new InvalidCheckError(field, cause instanceof Error ? cause.message : String(cause));
  }
}

function programOf({ inst, start }: { inst: Program['instructions']; start: number }): Program {
  return { instructions: inst, start };
}

function tooLarge(instructions: number): string {
  return `is too large: it repeats too much, and compiles to ${instructions} instructions`;
}
