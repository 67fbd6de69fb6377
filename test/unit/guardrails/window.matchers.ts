// Matchers for tests of the window. Each decides at another time: one as late as allowed, one as early as possible.
import type { Inspected, InspectedText, Matcher } from '../../../guardrails/matcher.ts';

/** Finds <…>, from each < to the next >. Decides at once when no bracket is open. */
export const angles = matcher(({ raw, isEnd }, from, window) => {
  const findings = [];
  for (let at = from; ; ) {
    const start = raw.indexOf('<', at);
    if (start < 0) return { findings, decided: raw.length };
    const end = raw.indexOf('>', start) + 1;
    const isOpen = end === 0 && !isEnd && raw.length - start < window;
    if (isOpen) return { findings, decided: start };
    const fits = end > 0 && (isEnd || end - start <= window);
    if (fits) findings.push({ start, end, label: 'ANGLES' });
    at = fits ? end : start + 1;
  }
});

/** Finds runs of digits, and "bad", without a # shortly before. Decides only a window later. */
export const digits = matcher(({ raw, isEnd }, from, window) => {
  const findings = [];
  const decided = isEnd ? raw.length : Math.max(from, raw.length - window + 1);
  const runs = /(?<!#.{0,31})(?<![0-9])(?:[0-9]+|bad)/gs;
  runs.lastIndex = from;
  for (let run = runs.exec(raw); run !== null && run.index < decided; run = runs.exec(raw))
    if (isEnd || run[0].length < window)
      findings.push({ start: run.index, end: run.index + run[0].length, label: 'DIGITS' });
  return { findings, decided: Math.max(decided, findings.at(-1)?.end ?? 0) };
});

/** Finds each capital X separately, and never waits. */
export const marks = matcher(({ raw }, from) => {
  const findings = [];
  for (let start = raw.indexOf('X', from); start >= 0; start = raw.indexOf('X', start + 1))
    findings.push({ start, end: start + 1, label: 'MARK' });
  return { findings, decided: raw.length };
});

/** Finds nothing, and decides as late as allowed. */
export const nothing = matcher(({ raw, isEnd }, from, window) => ({
  findings: [],
  decided: isEnd ? raw.length : Math.max(from, raw.length - window + 1),
}));

function matcher(inspect: (text: InspectedText, from: number, window: number) => Inspected): Matcher {
  return { inspect, cost: 1 };
}
