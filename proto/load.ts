// The contract as both planes load it: one descriptor, one set of options, one typed view. Absent optional fields are
// undefined, absent messages null, 64-bit integers decimal strings, enums their names.
import { messageDefinition, serviceDefinition } from './definitions.ts';
import contractJson from './generated/contract.json' with { type: 'json' };
import type { AccessDefinition } from './generated/gateway/v1/Access.ts';
import type { AiSystemsDefinition } from './generated/gateway/v1/AiSystems.ts';
import type { AuditDefinition } from './generated/gateway/v1/Audit.ts';
import type { BudgetsDefinition } from './generated/gateway/v1/Budgets.ts';
import type { CapturesDefinition } from './generated/gateway/v1/Captures.ts';
import type { ErrorDetail, ErrorDetail__Output } from './generated/gateway/v1/ErrorDetail.ts';
import type { GuardrailsDefinition } from './generated/gateway/v1/Guardrails.ts';
import type { InvitationsDefinition } from './generated/gateway/v1/Invitations.ts';
import type { KeyRecord, KeyRecord__Output } from './generated/gateway/v1/KeyRecord.ts';
import type { LedgerDefinition } from './generated/gateway/v1/Ledger.ts';
import type { LimitsDefinition } from './generated/gateway/v1/Limits.ts';
import type { ModelsDefinition } from './generated/gateway/v1/Models.ts';
import type { OperatorTokensDefinition } from './generated/gateway/v1/OperatorTokens.ts';
import type { OrganizationRecord, OrganizationRecord__Output } from './generated/gateway/v1/OrganizationRecord.ts';
import type { OrganizationsDefinition } from './generated/gateway/v1/Organizations.ts';
import type { OverviewDefinition } from './generated/gateway/v1/Overview.ts';
import type { PeopleDefinition } from './generated/gateway/v1/People.ts';
import type { PlatformRecord, PlatformRecord__Output } from './generated/gateway/v1/PlatformRecord.ts';
import type { PricesDefinition } from './generated/gateway/v1/Prices.ts';
import type { ProviderKeysDefinition } from './generated/gateway/v1/ProviderKeys.ts';
import type { ProvidersDefinition } from './generated/gateway/v1/Providers.ts';
import type { ProxyTokensDefinition } from './generated/gateway/v1/ProxyTokens.ts';
import type { ReconciliationDefinition } from './generated/gateway/v1/Reconciliation.ts';
import type { RequestsDefinition } from './generated/gateway/v1/Requests.ts';
import type { RouteBody, RouteBody__Output } from './generated/gateway/v1/RouteBody.ts';
import type { RoutesDefinition } from './generated/gateway/v1/Routes.ts';
import type { ScimTokensDefinition } from './generated/gateway/v1/ScimTokens.ts';
import type { ScopeRecord, ScopeRecord__Output } from './generated/gateway/v1/ScopeRecord.ts';
import type { ServiceAccountsDefinition } from './generated/gateway/v1/ServiceAccounts.ts';
import type { SessionsDefinition } from './generated/gateway/v1/Sessions.ts';
import type { SignedRecord, SignedRecord__Output } from './generated/gateway/v1/SignedRecord.ts';
import type { SignInDefinition } from './generated/gateway/v1/SignIn.ts';
import type { StatusDefinition } from './generated/gateway/v1/Status.ts';
import type { StopsDefinition } from './generated/gateway/v1/Stops.ts';
import type { TokensDefinition } from './generated/gateway/v1/Tokens.ts';
import type { UsageDefinition } from './generated/gateway/v1/Usage.ts';
import type { VirtualKeysDefinition } from './generated/gateway/v1/VirtualKeys.ts';
import type { WebhooksDefinition } from './generated/gateway/v1/Webhooks.ts';

/** The contract's definition of one method. */
export type { MethodDefinition } from '@grpc/proto-loader';

/**
 * The descriptor tree (protobufjs JSON form) for code that walks over types: the JSON API, reflection, compatibility.
 */
export const contract = contractJson;

const service = <Definition>(name: string) => serviceDefinition(name) as unknown as Definition;

/** Service definitions by name, with the generated types. */
export const services = {
  Access: service<AccessDefinition>('Access'),
  AiSystems: service<AiSystemsDefinition>('AiSystems'),
  Audit: service<AuditDefinition>('Audit'),
  Budgets: service<BudgetsDefinition>('Budgets'),
  Captures: service<CapturesDefinition>('Captures'),
  Guardrails: service<GuardrailsDefinition>('Guardrails'),
  Invitations: service<InvitationsDefinition>('Invitations'),
  Ledger: service<LedgerDefinition>('Ledger'),
  Limits: service<LimitsDefinition>('Limits'),
  Models: service<ModelsDefinition>('Models'),
  OperatorTokens: service<OperatorTokensDefinition>('OperatorTokens'),
  Organizations: service<OrganizationsDefinition>('Organizations'),
  Overview: service<OverviewDefinition>('Overview'),
  People: service<PeopleDefinition>('People'),
  Prices: service<PricesDefinition>('Prices'),
  ProviderKeys: service<ProviderKeysDefinition>('ProviderKeys'),
  Providers: service<ProvidersDefinition>('Providers'),
  ProxyTokens: service<ProxyTokensDefinition>('ProxyTokens'),
  Reconciliation: service<ReconciliationDefinition>('Reconciliation'),
  Requests: service<RequestsDefinition>('Requests'),
  Routes: service<RoutesDefinition>('Routes'),
  ScimTokens: service<ScimTokensDefinition>('ScimTokens'),
  ServiceAccounts: service<ServiceAccountsDefinition>('ServiceAccounts'),
  Sessions: service<SessionsDefinition>('Sessions'),
  SignIn: service<SignInDefinition>('SignIn'),
  Status: service<StatusDefinition>('Status'),
  Stops: service<StopsDefinition>('Stops'),
  Tokens: service<TokensDefinition>('Tokens'),
  Usage: service<UsageDefinition>('Usage'),
  VirtualKeys: service<VirtualKeysDefinition>('VirtualKeys'),
  Webhooks: service<WebhooksDefinition>('Webhooks'),
};

/** Messages that are sent and stored as bytes, because they are signed. */
export const recordTypes = {
  key: messageDefinition<KeyRecord, KeyRecord__Output>('KeyRecord'),
  scope: messageDefinition<ScopeRecord, ScopeRecord__Output>('ScopeRecord'),
  organization: messageDefinition<OrganizationRecord, OrganizationRecord__Output>('OrganizationRecord'),
  platform: messageDefinition<PlatformRecord, PlatformRecord__Output>('PlatformRecord'),
  signed: messageDefinition<SignedRecord, SignedRecord__Output>('SignedRecord'),
};

/** A route as its organization's record contains it. */
export const routeBodyType = messageDefinition<RouteBody, RouteBody__Output>('RouteBody');

/** The details of an error besides its code and message. */
export const errorDetail = messageDefinition<ErrorDetail, ErrorDetail__Output>('ErrorDetail');
