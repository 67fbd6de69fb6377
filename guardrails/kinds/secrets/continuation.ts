// What belongs to a secret that has been found and goes on behind it: the body of a private key, of a token its claims. Told from
// what stands before, so that nothing needs to be remembered of it from piece to piece.
import { contextMax } from '../../fold.ts';
import { continuationMax, continuations } from './known-forms.ts';

export interface Continued {
  readonly end: number;
  readonly label: string;
  /** What follows the text may belong to it. */
  readonly isOpen: boolean;
}

/** @param isEnd nothing follows the text */
export function continuationAt(text: string, at: number, isEnd: boolean): Continued | undefined {
  const last = text.charAt(at - 1);
  if (last === '' || !continuations.some(({ last: own }) => own.includes(last))) return undefined;
  const before = text.slice(Math.max(0, at - contextMax), at);
  const to = Math.min(text.length, at + continuationMax);
  const isWhole = isEnd || to < text.length;
  for (const continuation of continuations) {
    if (!continuation.last.includes(last) || !continuation.before.test(before)) continue;
    const { label, expression, open } = continuation;
    const rest = text.slice(at, to);
    expression.lastIndex = 0;
    const matched = expression.exec(rest)?.[0].length ?? 0;
    open.lastIndex = matched;
    if (!isWhole && !endsWithDashes(rest, matched) && open.test(rest))
      return { end: at, label, isOpen: true };
    if (matched > 0) return { end: at + matched, label, isOpen: false };
  }
  return undefined;
}

function endsWithDashes(text: string, end: number): boolean {
  return end > 0 && text.startsWith('-----', end - 5);
}
