// Decodes the contract's messages into the proxy's own types. A message that lacks what the protocol promises is
// refused: a record that was half understood could grant more than it should.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import { Secret } from '../../common/secret.ts';
import { isTagName, tagNamesMax } from '../../common/tags.ts';
import type { Invalidation__Output } from '../../proto/generated/gateway/v1/Invalidation.ts';
import type { KeyRecord__Output } from '../../proto/generated/gateway/v1/KeyRecord.ts';
import type { OrganizationRecord__Output } from '../../proto/generated/gateway/v1/OrganizationRecord.ts';
import type { OwnToolSettings__Output } from '../../proto/generated/gateway/v1/OwnToolSettings.ts';
import type { Position__Output } from '../../proto/generated/gateway/v1/Position.ts';
import type { ProviderKeyRecord__Output } from '../../proto/generated/gateway/v1/ProviderKeyRecord.ts';
import type { RecordKey__Output } from '../../proto/generated/gateway/v1/RecordKey.ts';
import type { ResolveResponse__Output } from '../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { ScopeRecord__Output } from '../../proto/generated/gateway/v1/ScopeRecord.ts';
import type { WatchReset__Output } from '../../proto/generated/gateway/v1/WatchReset.ts';
import type { WatchResponse__Output } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import {
  epochChanges,
  hangUps,
  priorityClasses,
  recordKinds,
  recordStates,
  scopeKinds,
  unknownCosts,
} from '../../proto/words/access.ts';
import { refOf } from '../access/cached-record.ts';
import type { FeedMessage } from '../access/feed.ts';
import type { Position } from '../access/feed-state.ts';
import { RecordKey } from '../access/organization-key.ts';
import type { KeyRecord, OrganizationRecord, ProviderKey, ScopeRecord } from '../access/principal.ts';
import type { Invalidation, ResolvedRecords } from '../access/records.ts';
import type { OwnToolSettings } from '../formats/own-tools.ts';
import { decodeCapture } from './wire-captures.ts';
import { decodeGuardrails } from './wire-guardrails.ts';
import { decodeLimit } from './wire-limits.ts';
import { decodeOwnPrice } from './wire-prices.ts';
import { decodeCustomProvider } from './wire-providers.ts';
import { decodeRoutes } from './wire-routes.ts';
import { decodeStops } from './wire-stops.ts';
import { known, time, whole } from './wire-values.ts';

/** @throws Error that names the fault of the message */
export function decodeResolve(response: ResolveResponse__Output): ResolvedRecords {
  const asOf = decodePosition(response.asOf);
  const { key, organization, scope } = response;
  if (!key) return { asOf, principal: undefined };
  if (!organization || organization.id !== key.organizationId)
    throw new Error('the response contains a key without its organization');
  const principal = {
    key: decodeKey(key),
    scope: scope ? decodeScope(scope) : undefined,
    organization: decodeOrganization(organization),
  };
  if (!fits(principal.key, principal.scope)) throw new Error('the response contains a key without its scope');
  return { asOf, principal };
}

/**
 * @returns undefined for a kind that this version does not know: changes that no proxy may miss are sent as a change or
 * a reset
 * @throws Error that names the fault of the message
 */
export function decodeFeedMessage(response: WatchResponse__Output): FeedMessage | undefined {
  if (response.started) return { type: 'started', ...decodeBeginning(response.started) };
  if (response.reset) return { type: 'reset', ...decodeBeginning(response.reset) };
  if (response.changes)
    return { type: 'changes', invalidations: response.changes.invalidations.flatMap(decodeInvalidation) };
  if (response.answer)
    return {
      type: 'response',
      nonce: whole(response.answer.nonce),
      position: decodePosition(response.answer.position),
    };
  if (response.recall) return { type: 'reclaim', reclaim: response.recall };
  return undefined;
}

/** No control plane remembers more. */
const continuesMax = 16;

function decodeBeginning({ horizon, epochChange, continues }: WatchReset__Output) {
  const isRestored = epochChanges.wordOf(epochChange) === 'restored';
  return {
    horizon: decodePosition(horizon),
    ...(isRestored && { epochChange: 'restored' as const }),
    ...(continues.length > 0 && { continues: continues.slice(0, continuesMax).map(decodePosition) }),
  };
}

export function decodePosition(position: Position__Output | null): Position {
  if (position === null || position.epoch === '') throw new Error('the message contains no position');
  return { epoch: position.epoch, revision: whole(position.revision) };
}

// Kinds that this version does not know concern records that it does not have.
function decodeInvalidation(message: Invalidation__Output): Invalidation[] {
  const kind = recordKinds.wordOf(message.kind);
  if (kind === undefined) return [];
  const ref = kind === 'key' ? message.keyHash?.toString('hex') : message.id && refOf(kind, message.id);
  if (ref === undefined || ref === '') throw new Error('the feed names a change without its subject');
  const state = recordStates.wordOf(message.state) ?? 'changed';
  return [{ kind, ref, revision: whole(message.revision), state }];
}

export function decodeKey(key: KeyRecord__Output): KeyRecord {
  return {
    keyId: key.keyId,
    organizationId: key.organizationId,
    scope: { kind: known(scopeKinds, key.scope?.kind, 'scope'), id: key.scope?.id ?? '' },
    active: key.active,
    endsAt: time(key.endsAt),
    valueEndsAt: time(key.valueEndsAt),
    allowedModels: key.allowedModels.map(canonicalSelector),
    limits: key.limits.map(decodeLimit),
    organizationRevision: whole(key.organizationRevision),
    ...decodeStanding(key),
    revision: whole(key.revision),
  };
}

function decodeStanding({ priorityClass, weight }: KeyRecord__Output): Pick<KeyRecord, 'priorityClass' | 'weight'> {
  const isAbsent = priorityClass == null || priorityClass === 'KEY_PRIORITY_CLASS_UNSPECIFIED';
  // A class that this version does not know is none that it may prefer.
  const known = isAbsent ? 'interactive' : (priorityClasses.wordOf(priorityClass) ?? 'batch');
  return { ...(known !== 'interactive' && { priorityClass: known }), ...decodeWeight(weight) };
}

/** Nobody is shut out by a weight that this version does not expect. */
function decodeWeight(weight: number | null | undefined): { readonly weight?: number } {
  return weight == null || weight < 1 ? {} : { weight };
}

export function decodeScope(scope: ScopeRecord__Output): ScopeRecord {
  const kind = known(scopeKinds, scope.kind, 'scope');
  if (kind === 'organization') throw new Error('the response contains an organization as a scope record');
  return {
    kind,
    id: scope.id,
    organizationId: scope.organizationId,
    active: scope.active,
    allowedModels: scope.allowedModels.map(canonicalSelector),
    limits: scope.limits.map(decodeLimit),
    revision: whole(scope.revision),
  };
}

export function fits(key: KeyRecord, scope: ScopeRecord | undefined): boolean {
  if (key.scope.kind === 'organization') return scope === undefined;
  return scope?.kind === key.scope.kind && scope.id === key.scope.id && scope.organizationId === key.organizationId;
}

export function decodeOrganization(organization: OrganizationRecord__Output): OrganizationRecord {
  return {
    id: organization.id,
    active: organization.active,
    callerProviderKeys: organization.callerProviderKeys,
    hangUp: hangUps.wordOf(organization.hangUp) ?? 'cancel',
    unknownCost: unknownCosts.wordOf(organization.unknownCost) ?? 'hold',
    ownTools: decodeOwnTools(organization.ownTools),
    storedResponses: organization.responses?.stored ?? true,
    backgroundResponses: organization.responses?.background ?? false,
    safetyIdentifier: organization.responses?.safetyIdentifier ?? false,
    pricedOptions: organization.pricedOptions?.allowed ?? true,
    ...(organization.requestLog?.retentionDays === 0 && { recordsNoRequests: true as const }),
    ...decodeTagNames(organization.tagNames),
    recordKeys: decodeRecordKeys(organization.recordKeys),
    modelAliases: organization.modelAliases.map(({ name, model }) => ({ name, model })),
    allowedModels: organization.allowedModels.map(canonicalSelector),
    limits: organization.limits.map(decodeLimit),
    providerKeys: organization.providerKeys.map(decodeProviderKey),
    customProviders: organization.providers.flatMap(decodeCustomProvider),
    prices: organization.prices.map(decodeOwnPrice),
    guardrails: decodeGuardrails(organization.guardrails),
    routes: decodeRoutes(organization.routes),
    ...decodeWeight(organization.weight),
    ...decodeStops(organization.stops),
    ...decodeCapture(organization.capture),
    revision: whole(organization.revision),
  };
}

function decodeOwnTools(settings: OwnToolSettings__Output | null): OwnToolSettings {
  return { egress: settings?.egress ?? false, execution: settings?.execution ?? false };
}

/** A later version may have other names, which this one cannot read from requests. */
function decodeTagNames(names: readonly string[]): Pick<OrganizationRecord, 'tagNames'> {
  const tagNames = names.filter(isTagName).slice(0, tagNamesMax);
  return tagNames.length === 0 ? {} : { tagNames };
}

const recordKeyBytes = 32;

/** A key of another length is of a form that this version does not know: what it sealed cannot be read. */
function decodeRecordKeys(keys: readonly RecordKey__Output[]): readonly RecordKey[] | undefined {
  const known = keys.filter(({ key }) => key.length === recordKeyBytes);
  if (known.length === 0) return undefined;
  return known.map(({ generation, key }) => new RecordKey(generation, key));
}

function decodeProviderKey(key: ProviderKeyRecord__Output): ProviderKey {
  const secret = (value: string | undefined) => (value === undefined || value === '' ? undefined : new Secret(value));
  return {
    id: key.id,
    provider: key.provider,
    secret: {
      apiKey: secret(key.secret?.apiKey),
      accessKeyId: secret(key.secret?.accessKeyId),
      secretAccessKey: secret(key.secret?.secretAccessKey),
      sessionToken: secret(key.secret?.sessionToken),
    },
    baseUrl: key.settings?.baseUrl || undefined,
    endpoint: key.settings?.endpoint || undefined,
    region: key.settings?.region || undefined,
    apiVersion: key.settings?.apiVersion || undefined,
    priority: key.priority,
    weight: key.weight,
  };
}
