// The present names of what rows of requests refer to by id, read in one query for each kind.
import type { Kysely } from 'kysely';
import { wordsOfEach } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import type { LimitKind, LimitSubjectKind, TrafficPart } from '../../proto/words/access.ts';
import { countingOf, kindOf } from '../store/limit-counting.ts';
import type { Schema } from '../store/schema.ts';
import { type NamedTable, present, readNames } from '../usage/names.ts';

export interface RowReferences {
  readonly keyId: string;
  readonly aiSystemId: string | null;
  readonly personId: string | null;
  readonly providerKeyId: string | undefined;
  readonly limitId: string;
  readonly guardrailId: string;
}

/** A name by id; empty if there is no such object any more. */
export type NameOf = (id: string | null | undefined) => string;

export interface Names {
  readonly key: NameOf;
  /** The last characters of a key. */
  readonly keyHint: NameOf;
  readonly aiSystem: NameOf;
  readonly person: NameOf;
  readonly providerKey: NameOf;
  readonly guardrail: NameOf;
  /** A limit in words. */
  readonly limit: NameOf;
}

/** Names of limits in words, such as "budget of $50 a month of the AI system checkout"; deleted ones too. */
export async function readLimitNames(
  db: Kysely<Schema>,
  organizationId: string,
  ids: readonly string[],
): Promise<NameOf> {
  const of = ids.map((limitId) => ({ ...noReferences, limitId }));
  return (await readRowNames(db, organizationId, of)).limit;
}

const noReferences = { keyId: '', aiSystemId: null, personId: null, providerKeyId: undefined, guardrailId: '' };

export async function readRowNames(
  db: Kysely<Schema>,
  organizationId: string,
  rows: readonly RowReferences[],
): Promise<Names> {
  const named = (table: NamedTable, ids: Ids) => readNames(db, table, { organizationId, ids: present(ids) });
  const keyIds = rows.map(({ keyId }) => keyId);
  const limitIds = rows.map(({ limitId }) => limitId);
  const limits = await limitsIn(db, organizationId, limitIds);
  const aiSystems = [...rows.map(({ aiSystemId }) => aiSystemId), ...subjects(limits, 'ai_system')];
  const people = [...rows.map(({ personId }) => personId), ...subjects(limits, 'person')];
  const providerKeys = [...rows.map(({ providerKeyId }) => providerKeyId), ...subjects(limits, 'provider_key')];
  const guardrails = rows.map(({ guardrailId }) => guardrailId);
  const keys = await named('virtual_keys', [...keyIds, ...subjects(limits, 'virtual_key')]);
  const key = lookup(keys);
  const aiSystem = lookup(await named('ai_systems', aiSystems));
  const person = lookup(await named('people', people));
  const providerKey = lookup(await named('provider_keys', providerKeys));
  const subjectNames: Readonly<Record<LimitSubjectKind, NameOf>> = {
    organization: () => '',
    ai_system: aiSystem,
    person,
    virtual_key: key,
    provider_key: providerKey,
    platform: () => '',
  };
  return {
    key,
    keyHint: lookup(await hints(db, [...keys.keys()])),
    aiSystem,
    person,
    providerKey,
    guardrail: lookup(await named('guardrails', guardrails)),
    limit: (id) => {
      const limit = limits.get(id ?? '');
      return limit === undefined ? '' : limitText(limit, subjectNames[limit.subject_kind](limit.subject_id));
    },
  };
}

type Ids = readonly (string | null | undefined)[];

/** @param keyIds of the organization's keys */
async function hints(db: Kysely<Schema>, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('key_values')
    .select(['key_id', 'hint'])
    .where('key_id', 'in', keyIds)
    .where('ends_at', 'is', null)
    .execute();
  return new Map(rows.map(({ key_id, hint }) => [key_id, hint]));
}

type LimitRow = Awaited<ReturnType<typeof limitsIn>> extends ReadonlyMap<string, infer Row> ? Row : never;

async function limitsIn(db: Kysely<Schema>, organizationId: string, ids: Ids) {
  const wanted = present(ids);
  const rows =
    wanted.length === 0
      ? []
      : await db
          .selectFrom('limits')
          .select(['id', 'kind', 'amount', 'period', 'model', 'counting', 'subject_kind', 'subject_id'])
          .where('id', 'in', wanted)
          .where('organization_id', '=', organizationId)
          .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function subjects(limits: ReadonlyMap<string, LimitRow>, kind: LimitSubjectKind): readonly string[] {
  return [...limits.values()].filter((limit) => limit.subject_kind === kind).map(({ subject_id }) => subject_id);
}

function lookup(names: ReadonlyMap<string, string>): NameOf {
  return (id) => names.get(id ?? '') ?? '';
}

const kindTexts: Readonly<Record<Exclude<LimitKind, 'budget'>, string>> = {
  requests_per_minute: 'requests per minute',
  tokens_per_minute: 'tokens per minute',
  concurrent_requests: 'concurrent requests',
};

export const subjectTexts: Readonly<Record<LimitSubjectKind, string>> = {
  organization: 'the organization',
  ai_system: 'the AI system',
  person: 'the person',
  virtual_key: 'the virtual key',
  provider_key: 'the provider key',
  platform: 'the platform',
};

/** For example "budget of $50 a month for gpt-provider/* of the AI system checkout". */
function limitText(limit: LimitRow, subject: string): string {
  const { amount, period, model, subject_kind } = limit;
  const kind = kindOf(limit);
  const amountText = kind === 'budget' ? budgetText(amount, period) : `limit of ${amount} ${kindTexts[kind]}`;
  const models = model === null ? '' : ` for ${model}`;
  return `${amountText}${models}${countingText(limit)} of ${subjectTexts[subject_kind]} ${subject}`.trimEnd();
}

const trafficTexts: Readonly<Record<TrafficPart, string>> = {
  stored: 'stored provider keys',
  direct: "callers' own provider keys",
};

/** For example " for each user" or " with feature=search for each virtual key". */
function countingText(limit: LimitRow): string {
  const { tag, each, traffic } = countingOf(limit) ?? {};
  const trafficText = traffic === undefined ? '' : ` for traffic with ${trafficTexts[traffic]}`;
  const tagText = tag === undefined ? trafficText : `${trafficText} with ${tag.name}=${tag.value}`;
  return each === undefined ? tagText : `${tagText} for each ${wordsOfEach(each)}`;
}

function budgetText(nano: number, period: LimitRow['period']): string {
  const every = period === null || period === 'total' ? 'in all' : `a ${period}`;
  return `budget of $${usdOfNano(nano)} ${every}`;
}
