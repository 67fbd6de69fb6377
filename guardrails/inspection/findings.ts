// Where in a body something was found, and the body without it: the first finding of the text that blocks ends it, and of findings that
// overlap the one is replaced that begins first, then the one of the first guardrail. Proxies and tests of guardrails go by the same.
import type { Guardrail } from '../definition.ts';
import { JsonKeeper } from '../json-keeper.ts';
import type { Hit } from '../scan.ts';
import type { Slot } from './inspection-schema.ts';
import { crossing, type Range, type Seam } from './joins.ts';

/** What of a guardrail says what becomes of its findings. */
export type Acting = Pick<Guardrail, 'action' | 'also'>;

/** What is inspected: slots, and what is read joined. */
export interface Texts {
  readonly slots: readonly Slot[];
  readonly seams: readonly Seam[];
}

/** Something found, wherever it stands. */
export interface Found {
  /** By its index. */
  readonly matcher: number;
  readonly label: string;
  readonly value: string;
  /** More than one where it crosses a seam. */
  readonly ranges: readonly Range[];
}

/** As they are scanned: seams behind all slots. */
export function stringsOf({ slots, seams }: Texts): string[] {
  return [...slots, ...seams].map(({ text }) => text);
}

/** Fields that the model does not see are looked at for those who ask for them. */
export function isEnabled(guardrail: Acting | undefined, { ranges }: Found, { slots }: Texts): boolean {
  return ranges.every(({ slot }) => {
    const only = slots[slot]?.only;
    return only === undefined || guardrail?.also?.includes(only) === true;
  });
}

/** Where nothing can be put in place of what was found, redacting is blocking. */
export function blocks(guardrail: Acting | undefined, { ranges }: Found, { slots }: Texts): boolean {
  if (guardrail?.action !== 'redact') return guardrail?.action === 'block';
  return ranges.some(({ slot }) => slots[slot]?.isFixed === true);
}

/** In the order of the text, then of the guardrails. */
export function firstOf(found: readonly Found[]): Found | undefined {
  return found.toSorted((a, b) => {
    const [first, second] = [a.ranges[0], b.ranges[0]];
    if (first === undefined || second === undefined) return 0;
    return first.slot - second.slot || first.start - second.start || a.matcher - b.matcher;
  })[0];
}

export function locate({ slots, seams }: Texts, hits: readonly Hit[]): readonly Found[] {
  return hits.flatMap(({ text, matcher, label, start, end }): Found[] => {
    const slot = slots[text];
    if (slot !== undefined) {
      return [{ matcher, label, value: slot.text.slice(start, end), ranges: [{ slot: text, start, end }] }];
    }
    const seam = seams[text - slots.length];
    const ranges = seam === undefined ? [] : crossing(seam, start, end);
    if (seam === undefined || ranges.length === 0) return [];
    return [{ matcher, label, value: seam.text.slice(start, end), ranges }];
  });
}

interface Cut extends Range {
  readonly found: Found;
}

/**
 * @param put what stands in place of something found in a slot; called once for each, in the order of the texts
 * @returns the text of each slot
 */
export function replace(
  { slots }: Texts,
  found: readonly Found[],
  put: (found: Found, slot: Slot) => string,
): readonly string[] {
  const cuts = found.flatMap((one): Cut[] => one.ranges.map((range) => ({ ...range, found: one })));
  cuts.sort((a, b) => a.start - b.start || a.found.matcher - b.found.matcher);
  const bySlot = Map.groupBy(cuts, ({ slot }) => slot);
  // What crosses a seam is replaced where it begins, and the rest of it taken away.
  const placed = new Set<Found>();
  return slots.map((slot, index) => {
    const own = bySlot.get(index);
    return own === undefined ? slot.text : replaceIn(slot, own, placed, put);
  });
}

function replaceIn(
  slot: Slot,
  cuts: readonly Cut[],
  placed: Set<Found>,
  put: (found: Found, slot: Slot) => string,
): string {
  const json = new JsonKeeper();
  let text = '';
  let left = 0;
  for (const { start, end, found } of cuts) {
    let placeholder = '';
    if (start >= left) {
      text += json.kept(slot.text.slice(left, start));
      if (!placed.has(found)) placeholder = put(found, slot);
      placed.add(found);
    }
    text += json.replaced(slot.text.slice(Math.max(left, start), Math.max(left, end)), placeholder);
    left = Math.max(left, end);
  }
  return text + json.kept(slot.text.slice(left)) + json.end();
}
