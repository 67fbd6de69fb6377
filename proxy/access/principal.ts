// The caller: the records behind a virtual key, in the proxy's own types. Times are milliseconds since 1970.
import type { BudgetCalendar } from '../../common/budget-window.ts';
import type { CounterKind } from '../../common/counter-names.ts';
import type { Secret } from '../../common/secret.ts';
import type { Guardrail } from '../../guardrails/definition.ts';
import type {
  HangUp,
  LimitKind,
  PriorityClass,
  ScopeKind,
  TrafficPart,
  UnknownCost,
} from '../../proto/words/access.ts';
import type { Capabilities } from '../catalog/capabilities.ts';
import type { CatalogModel, ModelPrices } from '../catalog/models.ts';
import type { OwnToolSettings } from '../formats/own-tools.ts';
import type { CaptureSettings } from './capture-settings.ts';
import type { RecordKey } from './organization-key.ts';
import type { Routes } from './routes.ts';

export interface Principal {
  readonly key: KeyRecord;
  /** Undefined if the key's scope is its organization. */
  readonly scope: ScopeRecord | undefined;
  readonly organization: OrganizationRecord;
  /** Absent: the control plane is of a release without it, and stops nothing. */
  readonly platform?: PlatformRecord | undefined;
}

/** What binds every organization. */
export interface PlatformRecord {
  readonly stops: readonly Stop[];
  /** Its budgets; absent: none. */
  readonly limits?: readonly Limit[];
}

/** What an operator has stopped: a provider, models, models of a provider, or direct keys. */
export interface Stop {
  readonly id: string;
  /** Canonical name; undefined: of any provider. */
  readonly provider: string | undefined;
  /** Selector over `<provider>/<model>`; undefined: every model of the provider. */
  readonly model: string | undefined;
  readonly directKeys: boolean;
  /** For callers. */
  readonly reason: string;
  readonly endsAt: number | undefined;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly organizationId: string;
  readonly scope: { readonly kind: ScopeKind; readonly id: string };
  readonly active: boolean;
  readonly endsAt: number | undefined;
  /** When a rotated value ends: afterwards the value is not found. */
  readonly valueEndsAt: number | undefined;
  readonly allowedModels: readonly string[];
  readonly limits: readonly Limit[];
  /** The organization record must be of this revision or later. */
  readonly organizationRevision: number;
  /** Absent: interactive. */
  readonly priorityClass?: PriorityClass;
  /** Of its slots, among the keys of its organization; absent: 100. */
  readonly weight?: number;
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
  /** When an inactive organization is active again; absent: when the record changes. */
  readonly suspendedUntil?: number;
  readonly callerProviderKeys: boolean;
  /**
   * Whether a stream is cancelled or read on after its caller has left, for providers that stop when a stream is
   * cancelled.
   */
  readonly hangUp: HangUp;
  /** Whether usage that no provider reported is charged by its reservation or by its text. */
  readonly unknownCost: UnknownCost;
  /** The tools that vendors run which pass with a stored provider key. */
  readonly ownTools: OwnToolSettings;
  /** Whether vendors may store responses for callers of the Responses API. */
  readonly storedResponses: boolean;
  /** Whether callers of the Responses API may send `background`. */
  readonly backgroundResponses: boolean;
  /** Whether requests without `safety_identifier` get a hash of organization and scope. */
  readonly safetyIdentifier: boolean;
  /** Whether requests with a stored provider key may have options that cost more than the model's usual price. */
  readonly pricedOptions: boolean;
  /** Absent: its requests are recorded in rows. */
  readonly recordsNoRequests?: true;
  /** The names of the tags that its requests may have, at most 8; absent: none. */
  readonly tagNames?: readonly string[];
  /** The generations that are open, newest first: the first one seals. Undefined if there is none. */
  readonly recordKeys: readonly RecordKey[] | undefined;
  /** The organization's own names for models. */
  readonly modelAliases: readonly ModelAlias[];
  readonly allowedModels: readonly string[];
  readonly limits: readonly Limit[];
  readonly providerKeys: readonly ProviderKey[];
  /** All custom providers that the organization may call: its own and the platform's. */
  readonly customProviders: readonly CustomProvider[];
  /** Prices that replace those of custom providers and of the catalog. */
  readonly prices: readonly OwnPrice[];
  /** The enabled guardrails, in the order in which they are applied. */
  readonly guardrails: readonly Guardrail[];
  readonly routes: Routes;
  /** Of its slots, among organizations; absent: 100. */
  readonly weight?: number;
  /** Its own; absent: none. */
  readonly stops?: readonly Stop[];
  /** Absent: nothing is captured. */
  readonly capture?: CaptureSettings;
  readonly revision: number;
}

export interface ModelAlias {
  readonly name: string;
  /** `<provider>/<model>` */
  readonly model: string;
}

export interface OwnPrice {
  /** UUIDv7: the lesser of two is the older. */
  readonly id: string;
  /** `<provider>/<model>`, or a glob over it. */
  readonly model: string;
  readonly prices: ModelPrices;
}

export interface Limit {
  readonly id: string;
  readonly kind: LimitKind;
  readonly amountUsd: string | undefined;
  /** When the windows of a budget begin. */
  readonly period: BudgetCalendar | undefined;
  readonly count: number | undefined;
  readonly model: string | undefined;
  /** Only requests with this tag; absent: all. */
  readonly tag?: { readonly name: string; readonly value: string };
  /** A counter for each of these; absent: one in all. */
  readonly each?: CounterKind;
  /** Requests without the tag of `each` are refused. */
  readonly required?: true;
  /** Only requests with stored provider keys, or with the callers' own; absent: all. */
  readonly traffic?: TrafficPart;
  /** Of a budget in the record of an organization: only requests that are sent with this provider key. */
  readonly providerKeyId?: string;
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

/** A provider defined by configuration: the wire format of a shipped provider under another name and URL. */
export interface CustomProvider {
  readonly id: string;
  readonly name: string;
  /** Canonical name of the shipped provider that has this wire format, or the format's own word. */
  readonly wireFormat: string;
  readonly baseUrl: string;
  readonly keyForm: KeyForm;
  /**
   * Body fields that are sent on besides the known ones. Absent in records that were cached before this list existed.
   */
  readonly passedFields?: readonly string[];
  readonly models: readonly CustomModel[];
}

/**
 * How the key is sent: as the wire format defines, as a bearer token, in a header of this name in lower case, or not at
 * all.
 */
export type KeyForm = 'wire_format' | 'bearer' | { readonly header: string } | 'none';

export interface CustomModel {
  readonly catalogModel: CatalogModel;
  /** The capabilities that differ from those of other models of the wire format. */
  readonly capabilities: Partial<Capabilities>;
}

/** Finds the records behind a key value. The request path knows nothing else of the access protocol. */
export interface RecordSource {
  /**
   * Returns a promise only if memory lacks the records, so that the usual request waits for nothing.
   * @param keyHash SHA-256 of the value in hexadecimal
   * @param address of the caller, for the limit on refusals
   * @throws GatewayError access_not_found, access_unavailable, rate_limit_exceeded
   */
  find(keyHash: string, address: string): Principal | Promise<Principal>;
}
