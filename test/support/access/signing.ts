// The control plane's signature for tests: records of the fake database in the contract's form, signed like real ones.
import { type Clock, systemClock } from '../../../common/clock.ts';
import { createSigningKey, parseSigningKey, type SigningKey, verifyingKey } from '../../../common/record-signature.ts';
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { openRecordSigner } from '../../../control-plane/services/record-signer.ts';
import type { ReadRecords } from '../../../control-plane/services/records.ts';
import { messageDefinition } from '../../../proto/definitions.ts';
import type { LimitRecord } from '../../../proto/generated/gateway/v1/LimitRecord.ts';
import type { ResolveResponse, ResolveResponse__Output } from '../../../proto/generated/gateway/v1/ResolveResponse.ts';
import { priorityClasses, type ScopeKind } from '../../../proto/words/access.ts';
import { type AccessLimits, accessLimits } from '../../../proxy/access/limits.ts';
import type {
  KeyRecord,
  Limit,
  OrganizationRecord,
  Principal,
  ScopeRecord,
  Stop,
} from '../../../proxy/access/principal.ts';
import { openRecordKeys, type RecordKeys } from '../../../proxy/access/record-keys.ts';
import type { ResolvedRecords } from '../../../proxy/access/records.ts';
import { silentLog } from '../silent-log.ts';

const responses = messageDefinition<ResolveResponse, ResolveResponse__Output>('ResolveResponse');

export class TestSigning {
  /** The key that signs now. */
  key: SigningKey = newSigningKey();
  /** Whether it signs; false: a control plane of an earlier release. */
  signs = true;

  /** The keys that the beginning of the feed names. */
  named(): readonly Buffer[] {
    return this.signs ? [this.key.publicKey] : [];
  }

  /** The response as it arrives over the connection. @param at when the snapshot was read, milliseconds since 1970 */
  respond(keyHash: string, response: ResolvedRecords, at: number): ResolveResponse__Output {
    return this.signed(keyHash, { asOf: response.asOf, ...(response.principal && inContract(response.principal)) }, at);
  }

  signed(keyHash: string, response: ReadRecords, at: number): ResolveResponse__Output {
    const settings = { recordSigningKey: this.key, recordSigningKeyFile: undefined, masterKey };
    const signer = openRecordSigner(settings, { log: silentLog });
    const { platformRecord: _ofSigned, ...unsigned } = response;
    const sent = this.signs ? signer.sign(response, keyHash, at) : unsigned;
    return responses.deserialize(responses.serialize(sent));
  }

  /** The keys of a proxy: the present key, unless others are given. */
  publicKeys(...keys: readonly SigningKey[]): RecordKeys {
    return this.publicKeysWithin(accessLimits, keys.length === 0 ? [this.key] : keys);
  }

  publicKeysWithin(limits: AccessLimits, all: readonly SigningKey[] = [this.key]): RecordKeys {
    const given = all.map(({ publicKey }) => verifyingKey(publicKey));
    return openRecordKeys({ keys: given, ...unwatched }, { log: silentLog, clock: systemClock, limits });
  }
}

export function newSigningKey(): SigningKey {
  return parseSigningKey(createSigningKey());
}

/** A proxy without keys. */
export function noRecordKeys(clock: Pick<Clock, 'monotonic'> = systemClock): RecordKeys {
  return openRecordKeys({ keys: undefined, ...unwatched }, { log: silentLog, clock, limits: accessLimits });
}

const unwatched = { file: undefined, maxStaleMs: 3_600_000 };

const masterKey = parseSealKeys(createSealKey());

function inContract({ key, scope, organization, platform }: Principal): Partial<ReadRecords> {
  return {
    key: keyInContract(key),
    ...(scope && { scope: scopeInContract(scope) }),
    organization: organizationInContract(organization),
    ...(platform && { platformRecord: { stops: platform.stops.map(stopInContract) } }),
  };
}

const scopeKinds = {
  organization: 'KEY_SCOPE_KIND_ORGANIZATION',
  ai_system: 'KEY_SCOPE_KIND_AI_SYSTEM',
  person: 'KEY_SCOPE_KIND_PERSON',
} as const satisfies Record<ScopeKind, string>;

function noLimits(limits: readonly Limit[]): LimitRecord[] {
  if (limits.length > 0) throw new Error('the fake database has no limits');
  return [];
}

function keyInContract({ scope, endsAt, valueEndsAt, allowedModels, limits, priorityClass, ...key }: KeyRecord) {
  return {
    ...key,
    ...(priorityClass && { priorityClass: priorityClasses.names[priorityClass] }),
    ...{ scope: { kind: scopeKinds[scope.kind], id: scope.id }, limits: noLimits(limits) },
    allowedModels: [...allowedModels],
    ...(endsAt !== undefined && { endsAt: new Date(endsAt).toISOString() }),
    ...(valueEndsAt !== undefined && { valueEndsAt: new Date(valueEndsAt).toISOString() }),
  };
}

function stopInContract({ id, reason, provider, model, directKeys, endsAt }: Stop) {
  if (provider !== undefined && model !== undefined) throw new Error('the fake database has no such stop');
  return {
    ...{ id, reason },
    target: { ...(provider && { provider }), ...(model && { model }), directKeys },
    ...(endsAt !== undefined && { endsAt: new Date(endsAt).toISOString() }),
  };
}

function scopeInContract({ kind, allowedModels, limits, ...scope }: ScopeRecord) {
  const rest = { allowedModels: [...allowedModels], limits: noLimits(limits) };
  return { ...scope, ...rest, kind: scopeKinds[kind] };
}

function organizationInContract(organization: OrganizationRecord) {
  const { id, active, callerProviderKeys, revision, allowedModels, limits } = organization;
  return {
    ...{ id, active, callerProviderKeys, revision, limits: noLimits(limits) },
    allowedModels: [...allowedModels],
    providerKeys: organization.providerKeys.map(({ id, provider, priority, weight, secret }) => ({
      ...{ id, provider, priority, weight },
      secret: { apiKey: secret.apiKey?.reveal() ?? '' },
    })),
    providers: organization.customProviders.map(({ id, name, baseUrl }) => ({
      ...{ id, name, baseUrl, wireFormat: 'WIRE_FORMAT_GPT_PROVIDER' as const },
      ...{ keyForm: 'KEY_FORM_NONE' as const, createdAt: '2026-01-01T00:00:00.000Z' },
    })),
  };
}
