// Names of counters: a limit for each value has a counter, or a budget, for each value, and one for further values. Such
// a name is what the ledger, journals and Redis know; it is as long for every value, and does not show it.
import { createHash } from 'node:crypto';
import { isUuid } from './uuid.ts';

/** The owner of a request: its virtual key, or the person or AI system that the key belongs to. */
export type OwnerKind = 'key' | 'person' | 'system';

/** What a limit for each value counts apart: owners of requests, or the values of a tag. */
export type CounterKind = OwnerKind | `tag:${string}`;

/** Digits of 132 bits: two values of one limit never have the same ones. */
const digitsOfValue = 22;
const other = 'other';
const uuidLength = 36;

/** @param limitId a UUID. @param value an owner's id, or a tag's value */
export function counterOf(limitId: string, value: string): string {
  const digits = createHash('sha256').update(limitId).update('\0').update(value).digest('base64url');
  return `${limitId}/${digits.slice(0, digitsOfValue)}`;
}

/** The counter of the values beyond those that have one of their own. */
export function otherCounterOf(limitId: string): string {
  return `${limitId}/${other}`;
}

export function isOtherCounter(name: string): boolean {
  return name.endsWith(`/${other}`);
}

/** Whether it is the name of a counter, and not the id of a limit. */
export function isCounter(name: string): boolean {
  return name.length > uuidLength;
}

/** @param name of a counter, or the id of a limit that has none */
export function limitOfCounter(name: string): string {
  return name.slice(0, uuidLength);
}

/** Whether a text is the id of a limit, or the name of a counter. */
export function isCounterName(text: string): boolean {
  if (!isUuid(limitOfCounter(text))) return false;
  return text.length === uuidLength || /^\/(?:[\w-]{22}|other)$/.test(text.slice(uuidLength));
}

/** What operators see of the counter for further values. */
export const otherValues = '(other)';

const ownerWords: Readonly<Record<OwnerKind, string>> = { key: 'virtual key', person: 'person', system: 'AI system' };

function isOwnerKind(each: string): each is OwnerKind {
  return Object.hasOwn(ownerWords, each);
}

/** Undefined for a tag. */
export function ownerOfEach(each: CounterKind): OwnerKind | undefined {
  return isOwnerKind(each) ? each : undefined;
}

/** @returns the tag's name; undefined for owners */
export function tagOfEach(each: CounterKind): string | undefined {
  return isOwnerKind(each) ? undefined : each.slice('tag:'.length);
}

/** What has a counter, in words: "virtual key", "AI system", or the name of the tag. */
export function wordsOfEach(each: CounterKind): string {
  return isOwnerKind(each) ? ownerWords[each] : each.slice('tag:'.length);
}

const eachPattern = /^(?:key|person|system|tag:[a-z][a-z0-9-]{0,31})$/;

export function isCounterKind(text: string): text is CounterKind {
  return eachPattern.test(text);
}
