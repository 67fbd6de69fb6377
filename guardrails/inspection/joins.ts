// Texts in several locations that the model reads as one, so that a match which is split between two of them is found.
// The text parts of a message's content, its refusal, and consecutive messages of one role are joined; system text is
// joined wherever it is. They are joined twice, directly and with a line break, because vendors do either. Of long
// texts only the part near a join is inspected again, and only matches that cross a join count.
import type { Slot } from './inspection-schema.ts';

/** Joined text, made of pieces of text spans. */
export interface Join {
  readonly text: string;
  readonly pieces: readonly JoinPiece[];
}

interface JoinPiece {
  /** Index of the text span that it comes from. */
  readonly slot: number;
  /** Where it begins in that span. */
  readonly from: number;
  /** Where it begins and ends in the joined text. */
  readonly at: number;
  readonly end: number;
}

/** A range of a text span. */
export interface Range {
  readonly slot: number;
  readonly start: number;
  readonly end: number;
}

const separators = ['', '\n'] as const;

/** @param reach length of the text on each side of a join that is inspected */
export function joinsOf(slots: readonly Slot[], reach: number): readonly Join[] {
  const turns = new Map<number, number[]>();
  for (const [index, { turn }] of slots.entries()) {
    if (turn === undefined) continue;
    const own = turns.get(turn);
    if (own === undefined) turns.set(turn, [index]);
    else own.push(index);
  }
  return [...turns.values()].flatMap((turn) => {
    if (turn.length < 2) return noJoins;
    return separators.flatMap((separator) => joinedBy(separator, turn, { slots, reach }));
  });
}

const noJoins: readonly Join[] = [];

/**
 * @returns the ranges that a match in joined text covers; empty if it lies within one text span, where it is found
 * anyway
 */
export function crossing({ pieces }: Join, start: number, end: number): readonly Range[] {
  const covered = pieces.filter((piece) => piece.at < end && piece.end > start);
  if (covered.length < 2) return [];
  return covered.map(({ slot, from, at, end: pieceEnd }) => ({
    slot,
    start: from + Math.max(start, at) - at,
    end: from + Math.min(end, pieceEnd) - at,
  }));
}

interface Joining {
  readonly slots: readonly Slot[];
  readonly reach: number;
}

function joinedBy(separator: string, turn: readonly number[], { slots, reach }: Joining): readonly Join[] {
  const joins: Join[] = [];
  let text = '';
  let pieces: JoinPiece[] = [];
  const add = (slot: number, from: number, part: string) => {
    const at = text.length === 0 ? 0 : text.length + separator.length;
    text = at === 0 ? part : text + separator + part;
    pieces.push({ slot, from, at, end: text.length });
  };
  const cut = () => {
    if (pieces.length > 1) joins.push({ text, pieces });
    text = '';
    pieces = [];
  };
  for (const slot of turn) {
    const whole = slots[slot]?.text ?? '';
    if (whole.length <= 2 * reach) {
      add(slot, 0, whole);
      continue;
    }
    if (pieces.length > 0) add(slot, 0, whole.slice(0, reach));
    cut();
    add(slot, whole.length - reach, whole.slice(-reach));
  }
  cut();
  return joins;
}
