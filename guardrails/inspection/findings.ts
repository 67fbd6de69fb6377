// Locates matches in a body and computes the body without them. The first match that blocks ends the inspection. If
// matches overlap, the one that begins first is replaced; if they begin together, the one of the first guardrail.
// Proxies and guardrail tests use the same code.
import type { Guardrail } from '../definition.ts';
import { JsonKeeper } from '../json-keeper.ts';
import type { Hit } from '../scan.ts';
import type { Slot } from './inspection-schema.ts';
import { crossing, type Join, type Range } from './joins.ts';

/** The fields of a guardrail that decide what happens with its matches. */
export type Acting = Pick<Guardrail, 'action' | 'also'>;

/** The inspected texts: the text spans of a body, and the joined texts. */
export interface Texts {
  readonly slots: readonly Slot[];
  readonly joins: readonly Join[];
}

/** A match, wherever it is. */
export interface TextMatch {
  /** Index of the matcher. */
  readonly matcher: number;
  readonly label: string;
  readonly value: string;
  /** More than one if the match crosses a join. */
  readonly ranges: readonly Range[];
}

/** The texts in the order in which they are scanned: joins after all text spans. */
export function stringsOf({ slots, joins }: Texts): string[] {
  return [...slots, ...joins].map(({ text }) => text);
}

/**
 * Whether the match counts for the guardrail. Fields that the model does not see count only for guardrails that request
 * them.
 */
export function isEnabled(guardrail: Acting | undefined, { ranges }: TextMatch, { slots }: Texts): boolean {
  return ranges.every(({ slot }) => {
    const only = slots[slot]?.only;
    return only === undefined || only.some((field) => guardrail?.also?.includes(field) === true);
  });
}

/** Whether the match blocks. Redaction blocks if the match cannot be replaced. */
export function blocks(guardrail: Acting | undefined, { ranges }: TextMatch, { slots }: Texts): boolean {
  if (guardrail?.action !== 'redact') return guardrail?.action === 'block';
  return ranges.some(({ slot }) => slots[slot]?.isFixed === true);
}

/** The first match in the order of the text, then of the guardrails. */
export function firstOf(found: readonly TextMatch[]): TextMatch | undefined {
  return found.toSorted((a, b) => {
    const [first, second] = [a.ranges[0], b.ranges[0]];
    if (first === undefined || second === undefined) return 0;
    return first.slot - second.slot || first.start - second.start || a.matcher - b.matcher;
  })[0];
}

export function locate({ slots, joins }: Texts, hits: readonly Hit[]): readonly TextMatch[] {
  return hits.flatMap(({ text, matcher, label, start, end }): TextMatch[] => {
    const slot = slots[text];
    if (slot !== undefined) {
      return [{ matcher, label, value: slot.text.slice(start, end), ranges: [{ slot: text, start, end }] }];
    }
    const joint = joins[text - slots.length];
    const ranges = joint === undefined ? [] : crossing(joint, start, end);
    if (joint === undefined || ranges.length === 0) return [];
    return [{ matcher, label, value: joint.text.slice(start, end), ranges }];
  });
}

interface Cut extends Range {
  readonly found: TextMatch;
}

/**
 * @param put returns the replacement of a match in a text span; called once for each match, in the order of the texts
 * @returns the new text of each span
 */
export function replace(
  { slots }: Texts,
  found: readonly TextMatch[],
  put: (found: TextMatch, slot: Slot) => string,
): readonly string[] {
  const cuts = found.flatMap((one): Cut[] => one.ranges.map((range) => ({ ...range, found: one })));
  cuts.sort((a, b) => a.start - b.start || a.found.matcher - b.found.matcher);
  const bySlot = Map.groupBy(cuts, ({ slot }) => slot);
  // A match that crosses a join is replaced where it begins, and the rest of it is removed.
  const placed = new Set<TextMatch>();
  return slots.map((slot, index) => {
    const own = bySlot.get(index);
    return own === undefined ? slot.text : replaceIn(slot, own, placed, put);
  });
}

function replaceIn(
  slot: Slot,
  cuts: readonly Cut[],
  placed: Set<TextMatch>,
  put: (found: TextMatch, slot: Slot) => string,
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
