// Records as releases before signatures wrote them to Redis: sealed JSON, trusted because of the cache key alone. They
// are read for one release, only while the control plane is of a release that does not sign, and never written. A value
// is format byte ‖ length of the header (2) ‖ header ‖ sealed content.
import { hash } from 'node:crypto';
import { aList, aNumber, anObject, aRecord, readShape, ShapeError } from '../../common/json-shape.ts';
import { never } from '../../common/never.ts';
import { type SealContext, type SealKeys, unseal } from '../../common/seal.ts';
import { Secret } from '../../common/secret.ts';
import type { Guardrail } from '../../guardrails/definition.ts';
import { type CachedPlatform, type CachedRecord, cachedKey, type Subject } from '../access/cached-record.ts';
import type { Position } from '../access/feed-state.ts';
import type { KeyRecord, OrganizationRecord, ProviderSecret, ScopeRecord } from '../access/principal.ts';
import { noRoutes } from '../access/routes.ts';
import { noOwnTools } from '../formats/own-tools.ts';

const layout = 4;

export function nameInLayout4({ kind, ref }: Subject): string {
  return `gateway:record:${layout}:${hash('sha256', `${kind}\n${ref}`, 'base64url')}`;
}

export interface StoredInLayout4 {
  readonly asOf: Position;
  readonly content: {
    /** Milliseconds since 1970. */
    readonly confirmedAt: number;
    readonly record: unknown;
  };
}

const theContent = aRecord<StoredInLayout4['content']>({ confirmedAt: aNumber, record: anObject });

export function openLayout4(keys: SealKeys, subject: Subject, value: Uint8Array): StoredInLayout4 | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  if (bytes.length < 3 || bytes.readUInt8(0) !== layout) return undefined;
  const headerEnd = 3 + bytes.readUInt16BE(1);
  const header = parseHeader(bytes.toString('utf8', 3, headerEnd));
  if (header === undefined) return undefined;
  const context = sealContext(subject, header.asOf, header.organization);
  const content = unseal(keys, context, bytes.subarray(headerEnd));
  // A value that can be unsealed was written by a proxy of this layout.
  return content && { asOf: header.asOf, content: readShape(content.toString(), theContent) };
}

function parseHeader(text: string): { asOf: Position; organization: string } | undefined {
  try {
    const [epoch, revision, organization] = readShape(
      text,
      aList((one) => one),
    );
    return { asOf: { epoch: String(epoch), revision: Number(revision) }, organization: String(organization) };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return undefined;
  }
}

function sealContext(subject: Subject, asOf: Position, organization: string): SealContext {
  const name = nameInLayout4(subject);
  return {
    derive: [subject.kind, organization, name],
    associated: [String(layout), subject.kind, name, asOf.epoch, String(asOf.revision)],
  };
}

type StoredSecret = { readonly [Field in keyof ProviderSecret]?: string };

/** No release wrote the platform's record in this layout. */
export type CachedInLayout4 = Exclude<CachedRecord, CachedPlatform>;
export type SubjectInLayout4 = Subject & Pick<CachedInLayout4, 'kind'>;

export function cachedOfLayout4(
  subject: SubjectInLayout4,
  stored: StoredInLayout4,
  confirmedAt: number,
): CachedInLayout4 {
  const at = { ref: subject.ref, asOf: stored.asOf, confirmedAt, isUnsigned: true as const };
  const { record } = stored.content;
  switch (subject.kind) {
    case 'key':
      return { ...cachedKey(subject.ref, record as KeyRecord, at), isUnsigned: true };
    case 'organization':
      return { ...at, kind: 'organization', record: withSecrets(record as OrganizationRecord) };
    case 'ai_system':
    case 'person':
      return { ...at, kind: subject.kind, record: record as ScopeRecord };
    default:
      return never(subject.kind);
  }
}

function withSecrets(record: OrganizationRecord): OrganizationRecord {
  const wrap = (value: string | undefined) => (value === undefined ? undefined : new Secret(value));
  const providerKeys = record.providerKeys.map((key) => {
    const secret = key.secret as unknown as StoredSecret;
    return {
      ...key,
      secret: {
        apiKey: wrap(secret.apiKey),
        accessKeyId: wrap(secret.accessKeyId),
        secretAccessKey: wrap(secret.secretAccessKey),
        sessionToken: wrap(secret.sessionToken),
      },
    };
  });
  return { ...record, ...laterSettings, providerKeys, guardrails: record.guardrails.map(withSecret) };
}

/** Settings that are younger than the layout, as they were before they existed. */
const laterSettings = {
  ownTools: noOwnTools,
  storedResponses: true,
  backgroundResponses: false,
  safetyIdentifier: false,
  pricedOptions: true,
  recordKeys: undefined,
  routes: noRoutes,
} as const;

function withSecret(guardrail: Guardrail): Guardrail {
  const { check } = guardrail;
  if (check.kind !== 'webhook') return guardrail;
  const secret = check.secret as unknown as string;
  return { ...guardrail, check: { ...check, secret: new Secret(secret) } };
}
