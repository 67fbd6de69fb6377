// Explains one request in words: its cause, who can change it, and the limit, guardrail, allow-list or state that decided,
// as it is configured now.
import type { Kysely } from 'kysely';
import { allowsModel, limitsModel } from '../../catalog/model-selector.ts';
import { never } from '../../common/never.ts';
import type { RequestRow } from '../../proto/generated/gateway/v1/RequestRow.ts';
import type { RequestSource } from '../../proto/generated/gateway/v1/RequestSource.ts';
import type { StopRecord } from '../../proto/generated/gateway/v1/StopRecord.ts';
import type { StopTarget } from '../../proto/generated/gateway/v1/StopTarget.ts';
import { type Decider, departures, type Explanation, explanations } from '../requests/explanations.ts';
import { subjectTexts } from '../requests/names.ts';
import { requestedModel } from '../requests/record.ts';
import { isSuspended } from '../store/organization-table.ts';
import type { Schema } from '../store/schema.ts';
import { type Holder, readHolders } from './key-holders.ts';
import { keyStatus } from './key-status.ts';
import { readStops } from './stop-rows.ts';

export interface ExplainedRequest extends Pick<Explanation, 'cause' | 'remedy' | 'advice'> {
  readonly decidedBy: string;
}

/** @param now milliseconds since 1970 */
export async function explain(db: Kysely<Schema>, row: RequestRow, now: number): Promise<ExplainedRequest> {
  const { cause, remedy, advice, decider } = explanationOf(row);
  const decidedBy = decider === undefined ? undefined : await decidedByOf(db, row, { decider, now });
  const isPlatforms = decidedBy !== undefined && [suspended, platformStop].includes(decidedBy);
  return { cause, remedy: isPlatforms ? 'platform_operator' : remedy, advice, decidedBy: decidedBy ?? '' };
}

const suspended = 'the organization, which is suspended';
const platformStop = 'a stop of the platform';

function explanationOf(row: RequestRow): Explanation {
  const { status = 0, errorCode = '', errorSource = '', attempts = 0 } = row.facts ?? {};
  if (status < 400)
    return {
      cause: 'the request was served',
      remedy: 'none',
      advice: attempts > 1 ? 'nothing; it took several attempts' : '',
    };
  if (errorSource === 'provider') return ofProvider(status, row);
  if (isExplained(errorCode)) return explanations[errorCode];
  return (
    departures[errorCode] ?? {
      cause: `the request failed with ${errorCode || `status ${status}`}, which this control plane does not know`,
      remedy: 'platform_operator',
      advice: 'read the message; a newer control plane explains it',
    }
  );
}

function isExplained(code: string): code is keyof typeof explanations {
  return Object.hasOwn(explanations, code);
}

function ofProvider(status: number, { source }: RequestRow): Explanation {
  const provider = source?.provider || 'the provider';
  if (status === 429)
    return {
      ...{ cause: `${provider} limits the rate or the quota of the key`, remedy: 'wait' },
      advice: 'try again later; raise the quota at the vendor, or add provider keys or targets of a route',
      decider: 'provider_key',
    };
  if (status >= 500)
    return {
      ...{ cause: `${provider} failed with status ${status}`, remedy: 'provider' },
      advice: "read the message; look at the vendor's status page",
      decider: 'provider_key',
    };
  return {
    ...{ cause: `${provider} refused the request with status ${status}`, remedy: 'caller' },
    advice: 'correct what the message names',
  };
}

interface Deciding {
  readonly decider: Decider;
  readonly now: number;
}

function decidedByOf(
  db: Kysely<Schema>,
  row: RequestRow,
  { decider, now }: Deciding,
): Promise<string | undefined> | string | undefined {
  const { source, facts } = row;
  switch (decider) {
    case 'limit':
      if (!facts?.limitId) return undefined;
      return row.limit ? `the ${row.limit}` : 'a limit that has been deleted since';
    case 'guardrail':
      if (!facts?.guardrailId) return facts?.guardrails || undefined;
      return row.guardrailName ? `the guardrail ${row.guardrailName}` : 'a guardrail that has been deleted since';
    case 'allow_list':
      return allowListOf(db, row);
    case 'stop':
      return stopOf(db, row, now);
    case 'access':
      return accessOf(db, row, now);
    case 'direct_keys':
      return "the organization's setting for provider keys of callers";
    case 'provider_keys':
      return providerKeysOf(source ?? {});
    case 'provider_key':
      return row.providerKeyName ? `the provider key ${row.providerKeyName}` : undefined;
    default:
      return never(decider);
  }
}

/** The key, and whose states and allow-lists bind it, as they are now. */
async function callerOf(db: Kysely<Schema>, { source }: RequestRow) {
  const key = await db
    .selectFrom('virtual_keys')
    .selectAll()
    .where('id', '=', source?.keyId ?? '')
    .where('organization_id', '=', source?.organizationId ?? '')
    .executeTakeFirst();
  return key && { key, ...(await readHolders(db, key)) };
}

async function allowListOf(db: Kysely<Schema>, row: RequestRow): Promise<string | undefined> {
  const caller = await callerOf(db, row);
  const model = requestedModel(row.source ?? {});
  if (caller === undefined || model === '') return undefined;
  const refusing = caller.all.find(({ globs }) => globs.length > 0 && !allowsModel(globs, model));
  return refusing === undefined
    ? 'an allow-list that allows the model by now'
    : `the allow-list of ${textOf(refusing)}`;
}

function textOf({ kind, name }: Holder): string {
  return kind === 'organization' ? subjectTexts[kind] : `${subjectTexts[kind]} ${name}`;
}

function providerKeysOf(source: RequestSource): string | undefined {
  const provider = providerOf(source);
  return provider === '' ? undefined : `the organization's provider keys for ${provider}`;
}

/** Of a request that was refused before a provider was chosen, the one that its model names. */
function providerOf(source: RequestSource): string {
  return source.provider || (requestedModel(source).split('/')[0] ?? '');
}

async function stopOf(db: Kysely<Schema>, { source }: RequestRow, now: number): Promise<string> {
  const { organizationId = '', directKey = false } = source ?? {};
  const provider = providerOf(source ?? {});
  const model = requestedModel(source ?? {});
  const binds = ({ target }: StopRecord) => {
    if (target?.directKeys === true) return directKey;
    if (target?.provider !== undefined && target.provider !== provider) return false;
    return target?.model === undefined || limitsModel(selectorOf(target), model);
  };
  if ((await readStops(db, null, now)).some(binds)) return platformStop;
  const own = (await readStops(db, organizationId, now)).find(binds);
  return own === undefined ? 'a stop that has ended since' : `the stop ${own.id} of the organization`;
}

function selectorOf({ provider, model = '' }: StopTarget): string {
  return provider === undefined ? model : `${provider}/${model}`;
}

async function accessOf(db: Kysely<Schema>, row: RequestRow, now: number): Promise<string | undefined> {
  const caller = await callerOf(db, row);
  if (caller === undefined) return undefined;
  const { key, organization, isScopeActive, all } = caller;
  const status = keyStatus(key, now);
  if (status === 'revoked') return `the virtual key ${key.name}, which is revoked`;
  if (isSuspended(organization, now)) return suspended;
  const scope = all.find(({ id }) => id === key.scope_id);
  if (!isScopeActive && scope !== undefined) return `${textOf(scope)}, which is inactive`;
  return status === 'active'
    ? `the virtual key ${key.name}, which is active by now`
    : `the virtual key ${key.name}, which is ${status}`;
}
