// Computes how a list of new prices would change a catalog, and the resulting catalog. Prices that move far, or would
// be lost, raise an alarm: a misplaced decimal point in an external list must not become the price that everybody is
// charged.
import { type CallKind, callKinds, capabilities, type TokenKind, tokenKinds } from '../common/model-facts.ts';
import type { CatalogModel, ModelPrices, PriceSet } from './model.ts';
import { namesOfModel } from './model-names.ts';
import type { CatalogContent } from './parse.ts';

export interface Change {
  /** `<provider>/<name>` */
  readonly model: string;
  /** `added`, `removed`, or the path of the difference, such as `prices.input` or `limits.maxOutputTokens`. */
  readonly what: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Why an operator should look at it before accepting it. */
  readonly alarm: string | undefined;
}

export interface Update {
  readonly content: CatalogContent;
  readonly changes: readonly Change[];
  /** Models with a decision made by hand that differs from the new list; they stay unchanged. */
  readonly kept: readonly string[];
  /** Models of the catalog that are not in the new list. They stay, unless the list is a whole catalog. */
  readonly missing: readonly string[];
}

export interface Figures {
  readonly asOf: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly models: readonly CatalogModel[];
  /** True: another catalog that replaces this one. False: an external list that is merged into it. */
  readonly isWhole: boolean;
}

/** A price that moves by more than this factor raises an alarm. */
const moveMax = 5;

/** @param isReplaced whether prices from this source may be replaced by those of a list */
export function updateCatalog(
  current: CatalogContent,
  figures: Figures,
  isReplaced: (source: string | undefined) => boolean,
): Update {
  const { asOf, isWhole } = figures;
  const kept: string[] = [];
  const changes: Change[] = [];
  const found = new Map(figures.models.map((row) => [nameOf(row), row] as const));
  const offeredFor = isWhole ? (row: CatalogModel) => found.get(nameOf(row)) : byAnyName(new Map(found));
  const missing = current.models.filter((row) => offeredFor(row) === undefined).map(nameOf);
  const models = current.models.flatMap((row) => {
    const before = { ...row, created: movedDate(row, current.asOf, asOf) };
    const offered = offeredFor(row);
    found.delete(nameOf(row));
    if (offered === undefined) {
      if (isWhole) changes.push(removal(row));
      return isWhole ? [] : [before];
    }
    const after = isWhole ? offered : compact(merged(before, offered, asOf));
    const own = differences(before, after);
    if (own.length > 0 && !isWhole && !(isReplaced(before.prices?.source) && (before.chat || !offered.chat))) {
      kept.push(nameOf(row));
      return [before];
    }
    changes.push(...own);
    return [after];
  });
  const added = [...found.values()].map(compact);
  changes.push(...added.map(addition));
  const all = [...models, ...added];
  const sources = usedSources(all, { ...current.sources, ...figures.sources });
  return { content: { asOf, sources, models: all }, changes, kept, missing };
}

/** A list may contain a model only under another of its names: undated names disappear from lists first. */
function byAnyName(found: ReadonlyMap<string, CatalogModel>): (row: CatalogModel) => CatalogModel | undefined {
  return (row) => {
    const own = found.get(nameOf(row));
    if (own !== undefined) return own;
    const [other] = namesOfModel(nameOf(row)).flatMap((name) => found.get(name) ?? []);
    return other && { ...other, name: row.name };
  };
}

/** A list is reliable for prices; about limits and capabilities it may contain less than the catalog. */
function merged(before: CatalogModel, offered: CatalogModel, asOf: string): CatalogModel {
  const { next } = before.prices ?? {};
  const stays = next !== undefined && next.from > asOf;
  const able = new Set([...before.capabilities, ...offered.capabilities]);
  return {
    ...offered,
    created: before.created,
    limits: { ...before.limits, ...offered.limits },
    capabilities: capabilities.filter((one) => able.has(one)),
    ...(offered.prices !== undefined && { prices: { ...offered.prices, ...(stays && { next }) } }),
    ...(before.regions !== undefined && { regions: { ...before.regions, ...offered.regions } }),
  };
}

/** Keeps regions only if their prices differ. */
function compact({ regions = {}, ...row }: CatalogModel): CatalogModel {
  const { prices: usual } = row;
  const own = Object.entries(regions).filter(([, one]) => usual === undefined || !isSame(one, usual));
  return own.length === 0 ? row : { ...row, regions: Object.fromEntries(own) };
}

/**
 * A list contains no future prices, so regional prices are compared as if they changed together with the usual ones.
 */
function isSame(regional: ModelPrices, { next, ...usual }: ModelPrices): boolean {
  const comparable = regional.next === undefined || next === undefined ? usual : { ...usual, next };
  return amountsOf(regional) === amountsOf(comparable);
}

function amountsOf(prices: ModelPrices): string {
  const facts = new Map<string, string>();
  addPrices(facts, 'prices', prices);
  return JSON.stringify([...facts].sort());
}

function nameOf({ provider, name }: CatalogModel): string {
  return `${provider}/${name}`;
}

/** A model without its own date has the catalog's date. */
function movedDate({ created }: CatalogModel, before: string, after: string): number {
  return created === Date.parse(before) / 1000 ? Date.parse(after) / 1000 : created;
}

function usedSources(
  models: readonly CatalogModel[],
  sources: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const used = new Set(
    models.flatMap(({ prices, regions = {} }) =>
      [prices, ...Object.values(regions)].flatMap((one) => [one?.source, one?.next?.source]),
    ),
  );
  return Object.fromEntries(Object.entries(sources).filter(([name]) => used.has(name)));
}

function addition(row: CatalogModel): Change {
  return { model: nameOf(row), what: 'added', before: undefined, after: summary(row), alarm: undefined };
}

function removal(row: CatalogModel): Change {
  const alarm = row.prices === undefined ? undefined : 'its price would be lost';
  return { model: nameOf(row), what: 'removed', before: summary(row), after: undefined, alarm };
}

function summary({ prices, chat }: CatalogModel): string {
  if (prices === undefined) return chat ? 'no price' : 'no chat';
  return `${prices.input} / ${prices.output}`;
}

function differences(before: CatalogModel, after: CatalogModel): Change[] {
  const model = nameOf(before);
  const [old, fresh] = [factsOf(before), factsOf(after)];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])];
  return paths.flatMap((what) => {
    const [from, to] = [old.get(what), fresh.get(what)];
    if (from === to) return [];
    // A region without its own prices has the usual ones.
    const alarm = alarmOf(what, from, to ?? fresh.get(what.replace(/^regions\.[^.]+/, 'prices')));
    return [{ model, what, before: from, after: to, alarm }];
  });
}

function alarmOf(what: string, before: string | undefined, after: string | undefined): string | undefined {
  if (what === 'chat' && after === 'false') return 'it would be refused from now on';
  if (!/^(prices|regions)\./.test(what) || before === undefined) return undefined;
  if (after === undefined) return 'its price would be lost';
  const [from, to] = [Number(before), Number(after)];
  if (from === to) return undefined;
  const times = from === 0 || to === 0 ? Number.POSITIVE_INFINITY : Math.max(from / to, to / from);
  return times > moveMax
    ? `it would be ${to > from ? `${round(to / from)} times` : `1/${round(from / to)} of`} what it is`
    : undefined;
}

function round(times: number): string {
  return String(Math.round(times * 10) / 10);
}

/** All facts of a row, by path, without dates and sources. */
function factsOf({ chat, limits, capabilities, prices, regions = {} }: CatalogModel): Map<string, string> {
  const facts = new Map<string, string>([['chat', String(chat)]]);
  for (const [name, limit] of Object.entries(limits)) facts.set(`limits.${name}`, String(limit));
  if (capabilities.length > 0) facts.set('capabilities', capabilities.join(', '));
  if (prices !== undefined) addPrices(facts, 'prices', prices);
  for (const [region, one] of Object.entries(regions)) addPrices(facts, `regions.${region}`, one);
  return facts;
}

function addPrices(facts: Map<string, string>, at: string, prices: ModelPrices): void {
  addSet(facts, at, prices);
  const { serviceTiers = {}, surcharges = {}, calls = {}, next } = prices;
  for (const [tier, set] of Object.entries(serviceTiers)) addSet(facts, `${at}.serviceTiers.${tier}`, set);
  for (const [region, factor] of Object.entries(surcharges)) facts.set(`${at}.surcharges.${region}`, factor);
  addAmounts(facts, `${at}.calls`, calls, callKinds);
  if (next === undefined) return;
  facts.set(`${at}.next.from`, next.from);
  addPrices(facts, `${at}.next`, next);
}

function addSet(facts: Map<string, string>, at: string, set: PriceSet): void {
  addAmounts(facts, at, set, tokenKinds);
  for (const tier of set.tiers ?? []) addAmounts(facts, `${at}.above${tier.abovePromptTokens}`, tier, tokenKinds);
}

function addAmounts(
  facts: Map<string, string>,
  at: string,
  amounts: Readonly<Partial<Record<TokenKind | CallKind, string>>>,
  kinds: readonly (TokenKind | CallKind)[],
): void {
  for (const kind of kinds) {
    const amount = amounts[kind];
    if (amount !== undefined) facts.set(`${at}.${kind}`, amount);
  }
}
