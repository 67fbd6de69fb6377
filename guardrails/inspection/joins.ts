// Text that stands in several places but is read as one: what is cut in two where one place ends and the next begins is found all
// the same. Joined are the text parts of a message's content, its refusal, and messages that follow each other in one role; what
// the system says is joined wherever it stands. They are joined twice, as they are and with a line break between, because vendors
// do either. Of long texts only what is near a seam is looked at again, and only what crosses one counts as found there.
import type { Slot } from './inspection-schema.ts';

/** Joined text, made of pieces of slots. */
export interface Seam {
  readonly text: string;
  readonly pieces: readonly SeamPiece[];
}

interface SeamPiece {
  /** Which slot it is of. */
  readonly slot: number;
  /** Where it begins in the slot. */
  readonly from: number;
  /** Where it begins and ends in the joined text. */
  readonly at: number;
  readonly end: number;
}

/** A part of a slot's text. */
export interface Range {
  readonly slot: number;
  readonly start: number;
  readonly end: number;
}

const separators = ['', '\n'] as const;

/** @param reach of a slot's text so much is looked at on each side of a seam */
export function seamsOf(slots: readonly Slot[], reach: number): readonly Seam[] {
  const turns = new Map<number, number[]>();
  for (const [index, { turn }] of slots.entries()) {
    if (turn === undefined) continue;
    const own = turns.get(turn);
    if (own === undefined) turns.set(turn, [index]);
    else own.push(index);
  }
  return [...turns.values()].flatMap((turn) => {
    if (turn.length < 2) return noSeams;
    return separators.flatMap((separator) => joinedBy(separator, turn, { slots, reach }));
  });
}

const noSeams: readonly Seam[] = [];

/** @returns what a finding in joined text covers of slots; nothing where it lies in one of them, and is found there */
export function crossing({ pieces }: Seam, start: number, end: number): readonly Range[] {
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

function joinedBy(separator: string, turn: readonly number[], { slots, reach }: Joining): readonly Seam[] {
  const seams: Seam[] = [];
  let text = '';
  let pieces: SeamPiece[] = [];
  const add = (slot: number, from: number, part: string) => {
    const at = text.length === 0 ? 0 : text.length + separator.length;
    text = at === 0 ? part : text + separator + part;
    pieces.push({ slot, from, at, end: text.length });
  };
  const cut = () => {
    if (pieces.length > 1) seams.push({ text, pieces });
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
  return seams;
}
