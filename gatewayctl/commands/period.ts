// The period of a command about usage: from, to, or a word or duration for both.
import { type Given, type Invocation, type Request, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { periodOf, startOfDate } from '../time-words.ts';

const from = { flags: '--from <time>', field: 'from', read: startOfDate } as const;
const last: Given = {
  flags: '--last <period>',
  about:
    'instead of --from: so long until now, such as 7d; today, this-week, this-month; or the whole one before: yesterday, week, month',
};
const to: Given = { flags: '--to <time>', about: 'exclusive; default: now', field: 'to', read: startOfDate };

/** @param start what is meant without any of the options, such as "the start of the month, UTC" */
export function periodSince(start: string): readonly Given[] {
  return [{ ...from, about: `a date or RFC 3339; default: ${start}` }, last, to];
}

/** Sets the times that --last means. @throws Failure for options that exclude each other */
export function withPeriod(request: Request, invocation: Invocation): Request {
  const text = textOf(invocation, last.flags);
  if (text === undefined) return request;
  if (textOf(invocation, from.flags) !== undefined) throw usageMistake('--last excludes --from; keep one of them');
  const meant = read(text);
  if (meant.to !== undefined && textOf(invocation, to.flags) !== undefined)
    throw usageMistake(`--last ${text} has an end of its own; leave --to out`);
  return { ...request, ...meant };
}

function read(text: string) {
  try {
    return periodOf(text);
  } catch (error) {
    throw usageMistake(`--last ${error instanceof Error ? error.message : ''}`);
  }
}
