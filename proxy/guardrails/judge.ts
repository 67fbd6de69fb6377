// From what was found to what becomes of it, as guardrails/window.ts has it: the first finding that blocks ends it, and of findings
// that overlap the one is replaced that begins first, then the one of the first guardrail.
import type { Guardrail, Stage } from '../../guardrails/definition.ts';
import { JsonKeeper } from '../../guardrails/json-keeper.ts';
import type { Decisions } from './decisions.ts';
import type { Slot } from './places.ts';
import type { Hit, Scanned } from './scan.ts';
import { crossing, type Range, type Seam } from './seams.ts';

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

export interface Judge {
  readonly stage: Stage;
  /** By matcher. */
  readonly guardrails: readonly Guardrail[];
  readonly decisions: Decisions;
}

/** @returns what is to be replaced. @throws GatewayError guardrail_blocked; guardrail_unavailable where nothing blocks and not all was seen */
export function judge(
  texts: Texts,
  scanned: Scanned,
  { stage, guardrails, decisions }: Judge,
): readonly Found[] {
  const found = locate(texts, scanned.hits).filter((one) => isAsked(guardrails[one.matcher], one, texts));
  const unseen = guardrails.filter((_guardrail, matcher) => scanned.unavailable?.includes(matcher));
  const failed = guardrails.filter((_guardrail, matcher) => scanned.failed.includes(matcher));
  for (const guardrail of failed) decisions.failed(guardrail, stage);
  const blocked = firstOf(found.filter((one) => blocks(guardrails[one.matcher], one, texts)));
  const blocking = blocked && guardrails[blocked.matcher];
  if (blocking !== undefined) throw decisions.refusal(blocking, stage, 'block');
  decisions.unavailable(unseen, stage);
  const decided = guardrails.filter(
    (guardrail) => !unseen.includes(guardrail) && !failed.includes(guardrail),
  );
  const finding = new Set(found.map(({ matcher }) => guardrails[matcher]));
  for (const guardrail of decided)
    decisions.decided(guardrail, stage, finding.has(guardrail) ? guardrail.action : 'pass');
  return found.filter(({ matcher }) => guardrails[matcher]?.action === 'redact');
}

/** Fields that the model does not see are looked at for those who ask for them. */
function isAsked(guardrail: Guardrail | undefined, { ranges }: Found, { slots }: Texts): boolean {
  return ranges.every(({ slot }) => {
    const only = slots[slot]?.only;
    return only === undefined || guardrail?.also?.includes(only) === true;
  });
}

/** Where nothing can be put in place of what was found, redacting is blocking. */
function blocks(guardrail: Guardrail | undefined, { ranges }: Found, { slots }: Texts): boolean {
  if (guardrail?.action !== 'redact') return guardrail?.action === 'block';
  return ranges.some(({ slot }) => slots[slot]?.isFixed === true);
}

function firstOf(found: readonly Found[]): Found | undefined {
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
