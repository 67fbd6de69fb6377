// Who calls: the three records behind a virtual key, in the proxy's own types. Times are milliseconds since 1970.
import type { BudgetPeriod } from '../../common/budget-window.ts';
import type { Secret } from '../../common/secret.ts';
import type { Guardrail } from '../../guardrails/definition.ts';
import type { HangUp, LimitKind, ScopeKind, UnknownCost } from '../../proto/words/access.ts';
import type { Traits } from '../catalog/capabilities.ts';
import type { CatalogModel, ModelPrices } from '../catalog/models.ts';

export interface Principal {
  readonly key: KeyRecord;
  /** Undefined when the key's scope is its organization. */
  readonly scope: ScopeRecord | undefined;
  readonly organization: OrganizationRecord;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly organizationId: string;
  readonly scope: { readonly kind: ScopeKind; readonly id: string };
  readonly active: boolean;
  readonly endsAt: number | undefined;
  /** A rotated value's end: afterwards the value is not found. */
  readonly valueEndsAt: number | undefined;
  readonly allowedModels: readonly string[];
  readonly limits: readonly Limit[];
  /** The organization record must be of this revision or later. */
  readonly organizationRevision: number;
  readonly revision: number;
}

export interface ScopeRecord {
  readonly kind: Exclude<ScopeKind, 'organization'>;
  readonly id: string;
  readonly organizationId: string;
  readonly active: boolean;
  readonly allowedModels: readonly string[];
  readonly limits: readonly Limit[];
  readonly revision: number;
}

export interface OrganizationRecord {
  readonly id: string;
  readonly active: boolean;
  readonly callerProviderKeys: boolean;
  /** Whether streams of providers that stop when they are cancelled are cancelled or read on when their caller has left. */
  readonly hangUp: HangUp;
  /** Whether what no provider reported is charged by its reservation or by its text. */
  readonly unknownCost: UnknownCost;
  readonly allowedModels: readonly string[];
  readonly limits: readonly Limit[];
  readonly providerKeys: readonly ProviderKey[];
  /** All that it may call: its own and the platform's. */
  readonly customProviders: readonly CustomProvider[];
  /** In place of what custom providers and the catalog say. */
  readonly prices: readonly OwnPrice[];
  /** Those that are enabled, in the order in which they are applied. */
  readonly guardrails: readonly Guardrail[];
  readonly revision: number;
}

export interface OwnPrice {
  /** UUIDv7: of two the lesser is the older. */
  readonly id: string;
  /** `<provider>/<model>`, or a glob over it. */
  readonly model: string;
  readonly prices: ModelPrices;
}

export interface Limit {
  readonly id: string;
  readonly kind: LimitKind;
  readonly amountUsd: string | undefined;
  readonly period: BudgetPeriod | undefined;
  readonly count: number | undefined;
  readonly model: string | undefined;
}

/** A stored provider key: a target to send to. */
export interface ProviderKey {
  readonly id: string;
  readonly provider: string;
  readonly secret: ProviderSecret;
  readonly baseUrl: string | undefined;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly apiVersion: string | undefined;
  readonly priority: number;
  readonly weight: number;
}

export interface ProviderSecret {
  readonly apiKey: Secret | undefined;
  readonly accessKeyId: Secret | undefined;
  readonly secretAccessKey: Secret | undefined;
  readonly sessionToken: Secret | undefined;
}

/** A provider that is configuration: a shipped one's wire format under another name and URL. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  /** Canonical name of the shipped provider whose wire format it speaks. */
  readonly wireFormat: string;
  readonly baseUrl: string;
  readonly keyForm: KeyForm;
  /** Of the body, what goes on beside what is known; absent in records that were cached before there was such a list. */
  readonly passedFields?: readonly string[];
  readonly models: readonly CustomModel[];
}

/** How the key is sent: as the wire format has it, as a bearer token, in a header of this name in lower case, or not at all. */
export type KeyForm = 'wire_format' | 'bearer' | { readonly header: string } | 'none';

export interface CustomModel {
  readonly catalogModel: CatalogModel;
  /** Where it differs from others of its wire format. */
  readonly traits: Partial<Traits>;
}

/** Finds the records behind a key value. What the request path knows of the access protocol. */
export interface RecordSource {
  /**
   * A promise only where memory cannot answer, so that the usual request waits for nothing.
   * @param keyHash SHA-256 of the value in hexadecimal
   * @param address of the caller, for the limit on refusals
   * @throws GatewayError access_not_found, access_unavailable, rate_limit_exceeded
   */
  find(keyHash: string, address: string): Principal | Promise<Principal>;
}
