// Targets of routes as people type and read them: `<provider>/<model>=<weight>,key=<provider key>,whole=30s`. Names of
// models have neither commas nor equals signs.
import { isObject } from '../common/json.ts';
import { duration } from '../common/settings.ts';
import type { RouteConditions } from '../proto/generated/gateway/v1/RouteConditions.ts';
import type { RouteGroup } from '../proto/generated/gateway/v1/RouteGroup.ts';
import type { RouteHedge } from '../proto/generated/gateway/v1/RouteHedge.ts';
import type { RouteShadow } from '../proto/generated/gateway/v1/RouteShadow.ts';
import type { RouteTarget } from '../proto/generated/gateway/v1/RouteTarget.ts';
import { enumNamed, enumWord } from '../proto/json/contract.ts';
import { choicesOf } from './enum-names.ts';
import { pairOf } from './pair.ts';

/** A target in which the provider key is named, by name or id. */
export interface TypedTarget {
  readonly target: RouteTarget;
  readonly key: string | undefined;
}

/** The words after the model, in the order in which they are shown. */
const overrides = {
  'max-output-tokens': { field: 'maxOutputTokens', read: number, write: String },
  effort: {
    field: 'reasoningEffort',
    read: effort,
    write: (name: unknown) => enumWord('ReasoningEffort', String(name)),
  },
  'first-token': { field: 'firstTokenMs', read: duration, write: milliseconds },
  'between-tokens': { field: 'betweenTokensMs', read: duration, write: milliseconds },
  whole: { field: 'wholeMs', read: duration, write: milliseconds },
  connect: { field: 'connectMs', read: duration, write: milliseconds },
  canary: { field: 'canary', read: percent, write: String },
} as const;

type Override = keyof typeof overrides;

/** For help: what may follow a model. */
export const targetForm = `,key=<provider key>${Object.keys(overrides)
  .map((word) => `,${word}=…`)
  .join('')}`;

/**
 * @param weighted whether a weight may follow the model
 * @throws Error that names the accepted form
 */
export function readTarget(text: string, weighted: boolean): TypedTarget {
  const [first = '', ...rest] = text.split(',');
  const [model, weight] = pairOf(first) ?? [first, undefined];
  if (model === '') throw new Error('must begin with a model, <provider>/<model>');
  if (weight !== undefined && !weighted) throw new Error('has no weight, because each is tried alone; --split has');
  let key: string | undefined;
  const target: Record<string, unknown> = { model, ...(weight !== undefined && { weight: number(weight) }) };
  for (const part of rest) {
    const [word, value] = pairOf(part) ?? ['', ''];
    if (word === 'key') key = value;
    else if (isOverride(word)) target[overrides[word].field] = overrides[word].read(value);
    else throw new Error(`has after its model only ${targetForm}`);
  }
  return { target, key };
}

/** The copies of requests that a route sends to another model, whose provider key is named by name or id. */
export interface TypedShadow {
  readonly shadow: RouteShadow;
  readonly key: string | undefined;
}

/** For help. */
export const shadowForm = '<model=percent>[,key=<provider key>]';

/** @param text `off` for none. @throws Error that names the accepted form */
export function readShadow(text: string): TypedShadow {
  if (text === 'off') return { shadow: { model: '' }, key: undefined };
  const [first = '', ...rest] = text.split(',');
  const [model = '', percent = ''] = pairOf(first) ?? [];
  const [word, key] = rest.length === 1 ? (pairOf(rest[0] ?? '') ?? []) : [];
  const isKeyed = rest.length === 0 || (word === 'key' && key !== '');
  if (model === '' || !isKeyed || !/^\d{1,3}(\.\d{1,4})?$/.test(percent))
    throw new Error(`must be ${shadowForm}, or off`);
  return { shadow: { model, percent: Number(percent) }, key };
}

/** @param text a time, a percentile such as `p95`, or `off`. @throws Error that names the accepted form */
export function readHedge(text: string): RouteHedge {
  if (text === 'off') return { afterMs: 0 };
  const [, percentile] = /^p(\d{1,2})$/.exec(text) ?? [];
  return percentile === undefined ? { afterMs: duration(text) } : { percentile: Number(percentile) };
}

/** Of each target of a group. @throws Error that names the accepted form */
export function readCeiling(text: string): number {
  return text === 'off' ? 0 : number(text);
}

function isOverride(word: string): word is Override {
  return Object.hasOwn(overrides, word);
}

function number(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error('must have whole numbers');
  return Number(text);
}

function percent(text: string): number {
  if (!/^\d{1,3}(?:\.\d{1,2})?$/.test(text)) throw new Error('must have canary= with a percentage, for example 2.5');
  return Number(text);
}

function effort(word: string): string {
  const name = enumNamed('ReasoningEffort', word);
  if (name !== undefined) return name;
  throw new Error(`must have an effort of ${choicesOf('ReasoningEffort')?.join(', ')}`);
}

function milliseconds(value: unknown): string {
  return `${String(value)}ms`;
}

/** A group as its options would be typed, with its conditions. @param group a RouteGroup of the contract */
export function groupText(group: object): string {
  const { targets = [], conditions, choice, inFlightMax } = group as RouteGroup;
  const when = conditions ? conditionTexts(conditions) : [];
  const word = enumWord('GroupChoice', String(choice ?? ''));
  const ceiling = inFlightMax === undefined ? [] : [`at most ${inFlightMax} in flight each`];
  const words = [...(word === '' || word === 'unspecified' ? [] : [word]), ...ceiling];
  const how = words.length === 0 ? '' : ` (${words.join(', ')})`;
  return `${targets.map(targetText).join(' + ')}${how}${when.length === 0 ? '' : ` if ${when.join(', ')}`}`;
}

function targetText({ model, weight, providerKeyId, ...more }: RouteTarget): string {
  const values: Readonly<Record<string, unknown>> = more;
  const parts = Object.entries(overrides).flatMap(([word, { field, write }]) =>
    values[field] === undefined ? [] : [`${word}=${write(values[field])}`],
  );
  return [`${model}=${weight}`, ...(providerKeyId === undefined ? [] : [`key=${providerKeyId}`]), ...parts].join(',');
}

function conditionTexts({ streamed, hasImages, hasTools, tokensAbove, tag, scope }: RouteConditions): string[] {
  const whether = (value: boolean | undefined, what: string) =>
    value === undefined ? [] : [`${value ? '' : 'not '}${what}`];
  return [
    ...whether(streamed, 'streamed'),
    ...whether(hasImages, 'with images'),
    ...whether(hasTools, 'with tools'),
    ...(tokensAbove === undefined ? [] : [`over ${tokensAbove} tokens`]),
    ...(tag === undefined || tag === '' ? [] : [`tag ${tag}`]),
    ...(isObject(scope) ? [`scope ${enumWord('KeyScopeKind', String(scope.kind))} ${String(scope.id)}`] : []),
  ];
}
