// Turns of random conversations in a row.
import type { TalkTurn } from './random-talks.ts';

/** Neighbours of one role are one turn. */
export function addTurn(turns: TalkTurn[], turn: TalkTurn): void {
  const last = turns.pop();
  if (last !== undefined && last.role !== turn.role) turns.push(last, turn);
  else turns.push(last === undefined ? turn : joined(last, turn));
}

function joined(one: TalkTurn, next: TalkTurn): TalkTurn {
  if (one.role === 'user' && next.role === 'user') {
    return { ...one, parts: [...one.parts, ...next.parts], isMarked: one.isMarked || next.isMarked };
  }
  if (one.role === 'system' && next.role === 'system') return { ...one, texts: [...one.texts, ...next.texts] };
  if (one.role === 'tool' && next.role === 'tool') return { ...one, results: [...one.results, ...next.results] };
  if (one.role !== 'assistant' || next.role !== 'assistant') throw new Error('turns of different roles');
  return {
    role: 'assistant',
    thoughts: [...one.thoughts, ...next.thoughts],
    texts: [...one.texts, ...next.texts],
    images: [...one.images, ...next.images],
    calls: [...one.calls, ...next.calls],
  };
}
