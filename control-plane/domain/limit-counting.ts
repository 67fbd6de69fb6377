// Which requests of its subject a limit counts, and in how many counters: the fields of a new limit, and of a change.
// Pure.
import { isShadow } from '../../catalog/model-selector.ts';
import { type CounterKind, isCounterKind, ownerOfEach, tagOfEach } from '../../common/counter-names.ts';
import { isTagName, tagValue } from '../../common/tags.ts';
import { type LimitSubjectKind, limitKinds, limitTraffics, type TrafficPart } from '../../proto/words/access.ts';
import type { LimitCounting } from '../store/limit-counting.ts';
import { wordOf } from './enum-names.ts';
import { type Field, invalid, optional, problemsAt, valid } from './field.ts';
import { unchanged } from './limit.ts';

interface Tag {
  readonly name: string;
  readonly value: string;
}

/** The fields of the contract. */
export interface CountingFields {
  readonly subject?: { readonly kind: string } | null;
  readonly model?: string;
  readonly tag?: Tag | null;
  readonly each?: string;
  readonly required?: boolean;
  readonly traffic?: string;
}

export function limitCounting({ subject, model = '', tag, each, required, traffic }: CountingFields) {
  // Copies of requests are for one budget of the route alone.
  const isOfCopies = isShadow(model) ? invalid('does not go with a budget for shadow traffic') : undefined;
  return {
    tag: (tag && isOfCopies) || optional(readTag, tag),
    each: (each !== undefined && isOfCopies) || optional((text: string) => readEach(text, subject?.kind), each),
    required: readRequired(required, each),
    traffic: (traffic !== undefined && isOfCopies) || optional(readTraffic, traffic),
  };
}

/** What a limit of who pays for requests, a provider key or the platform, cannot be: the problems, by field. */
export function ofPayer(
  subject: LimitSubjectKind | undefined,
  { kind, model = '', ...of }: CountingFields & { kind?: string },
) {
  const isOfKey = subject === 'provider_key';
  if (!isOfKey && subject !== 'platform') return {};
  const noBudgetOfIt = invalid('does not go with the budget of a provider key or of the platform');
  return {
    ...(kind !== limitKinds.names.budget && { kind: invalid('must be LIMIT_KIND_BUDGET with this subject') }),
    ...(isShadow(model) && { model: noBudgetOfIt }),
    ...(of.required && { required: noBudgetOfIt }),
    ...(isOfKey && of.traffic && { traffic: noBudgetOfIt }),
    // Tags are an organization's.
    ...(!isOfKey && of.tag && { tag: noBudgetOfIt }),
    ...(!isOfKey && of.each !== undefined && { each: noBudgetOfIt }),
  };
}

/** @param present undefined for a limit that counts all requests, in one counter */
export function sameCounting(present: LimitCounting | undefined, { tag, each, required, traffic }: CountingFields) {
  const sameTag = tag?.name === present?.tag?.name && tag?.value === present?.tag?.value;
  return {
    tag: unchanged(!tag || sameTag),
    each: unchanged(each === undefined || each === present?.each),
    required: readRequired(required, present?.each),
    traffic: unchanged(traffic === undefined || traffic === limitTraffics.names[present?.traffic ?? 'all']),
  };
}

/** Proxies do not know soft budgets, so nobody would require the tag. @returns the problem */
export function softProblem(soft: boolean, { required }: LimitCounting): string | undefined {
  return soft && required === true ? 'does not go with a soft budget, which refuses nothing' : undefined;
}

/** The names of the tags that a limit counts by. */
export function tagNamesOfLimit({ tag, each }: LimitCounting): readonly string[] {
  const ofEach = each === undefined ? undefined : tagOfEach(each);
  return [...(tag === undefined ? [] : [tag.name]), ...(ofEach === undefined ? [] : [ofEach])];
}

function readTag({ name, value }: Tag): Field<Tag> {
  if (!isTagName(name)) return { problems: problemsAt('.name', invalid('must be the name of a tag')) };
  return tagValue(value) === value
    ? valid({ name, value })
    : { problems: problemsAt('.value', invalid('must be 1 to 128 visible characters, without spaces around them')) };
}

const trafficWord = wordOf(limitTraffics);

/** All traffic is what a limit counts without this field. */
function readTraffic(name: string): Field<TrafficPart | undefined> {
  const read = trafficWord(name);
  if ('problems' in read) return read;
  return valid(read.value === 'all' ? undefined : read.value);
}

function readEach(text: string, subject: string | undefined): Field<CounterKind> {
  if (!isCounterKind(text)) return invalid('must be "key", "person", "system", or "tag:" and the name of a tag');
  const owner = ownerOfEach(text);
  if (owner === 'key' && subject === 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY')
    return invalid('does not go with the limit of one virtual key: leave it out');
  if (owner !== undefined && owner !== 'key' && subject !== 'LIMIT_SUBJECT_KIND_ORGANIZATION')
    return invalid('goes with a limit of the organization, which counts every person and AI system');
  return valid(text);
}

function readRequired(required: boolean | undefined, each: string | undefined): Field<boolean | undefined> {
  return required === true && !each?.startsWith('tag:')
    ? invalid('goes with a limit for each value of a tag')
    : valid(required);
}
