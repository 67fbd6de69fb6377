// Every method of the contract: its audience, its roles, the organization that it names, and its handler. A method
// without a row does not type-check; if the contract differs from the table, the program does not start.
import { contract } from '../../proto/load.ts';
import * as aiSystems from '../services/ai-systems.ts';
import * as audit from '../services/audit.ts';
import * as billAdjustments from '../services/bill-adjustments.ts';
import * as billDrift from '../services/bill-drift.ts';
import * as billMappings from '../services/bill-mappings.ts';
import * as billSettings from '../services/bill-settings.ts';
import * as bills from '../services/bills.ts';
import * as budgetExplain from '../services/budget-explain.ts';
import * as budgetReset from '../services/budget-reset.ts';
import * as budgets from '../services/budgets.ts';
import * as captureReaders from '../services/capture-readers.ts';
import * as captures from '../services/captures.ts';
import * as guardrailTest from '../services/guardrail-test.ts';
import * as guardrails from '../services/guardrails.ts';
import * as keyPolicy from '../services/key-policy.ts';
import * as limitRaises from '../services/limit-raises.ts';
import * as limits from '../services/limits.ts';
import type { Method } from '../services/method.ts';
import * as modelList from '../services/model-list.ts';
import * as of from '../services/organization-of.ts';
import * as organizations from '../services/organizations.ts';
import * as overview from '../services/overview.ts';
import * as people from '../services/people.ts';
import * as prices from '../services/prices.ts';
import * as providerKeys from '../services/provider-keys.ts';
import * as providers from '../services/providers.ts';
import * as proxyTokens from '../services/proxy-tokens.ts';
import * as recordKeys from '../services/record-keys.ts';
import * as requests from '../services/requests.ts';
import * as routes from '../services/routes.ts';
import * as status from '../services/status.ts';
import * as stops from '../services/stops.ts';
import * as usage from '../services/usage.ts';
import * as usageSeries from '../services/usage-series.ts';
import * as virtualKeys from '../services/virtual-keys.ts';
import * as deliveries from '../services/webhook-deliveries.ts';
import * as webhooks from '../services/webhooks.ts';
import {
  all,
  change,
  download,
  everybody,
  managedChange,
  managers,
  managersAndPlatform,
  ownerChange,
  planned,
  platform,
  proxy,
  read,
  recent,
  sharedChange,
  sumRead,
  suspension,
  type Table,
  trial,
  withinOrganization,
} from './method-parts.ts';
import { signInMethods } from './sign-in-methods.ts';

export const methods = {
  Access: {
    Resolve: proxy,
    ResolveMany: proxy,
    Watch: proxy,
  },
  AiSystems: {
    Create: { ...change, roles: managers, organization: of.named, handle: aiSystems.create },
    Get: { ...read, roles: managers, organization: of.ofRow('ai_systems'), handle: aiSystems.get },
    List: { ...read, roles: managers, organization: of.named, handle: aiSystems.list },
    Update: { ...change, roles: managers, organization: of.ofRow('ai_systems'), handle: aiSystems.update },
    Delete: { ...change, roles: managers, organization: of.ofRow('ai_systems'), handle: aiSystems.remove },
  },
  Audit: {
    List: { ...read, roles: managersAndPlatform, organization: of.namedOrPlatform, handle: audit.list },
    Verify: { ...read, roles: platform, organization: of.callersOwn, handle: audit.verify },
  },
  Budgets: {
    ListWindows: { ...sumRead, roles: everybody, organization: of.namedOrPlatforms, handle: budgets.listWindows },
    ListUnsettled: {
      ...read,
      roles: managersAndPlatform,
      organization: of.namedOrPlatforms,
      handle: budgets.listUnconfirmed,
    },
    Release: { ...change, roles: managersAndPlatform, organization: of.ofLimit, handle: budgets.release },
    Reset: { ...change, roles: managersAndPlatform, organization: of.ofLimit, handle: budgetReset.reset },
    Explain: { ...sumRead, roles: withinOrganization, organization: of.named, handle: budgetExplain.explain },
  },
  Captures: {
    Report: proxy,
    Enable: { ...ownerChange, organization: of.named, handle: captures.enable },
    Disable: { ...ownerChange, organization: of.ofRow('capture_settings'), handle: captures.disable },
    ListSettings: { ...read, roles: managers, organization: of.named, handle: captures.listSettings },
    Get: { ...change, roles: withinOrganization, organization: of.named, handle: captures.get },
    Grant: { ...ownerChange, organization: of.named, handle: captureReaders.grant },
    Revoke: { ...ownerChange, organization: of.named, handle: captureReaders.revoke },
    ListReaders: { ...read, roles: ['owner'], organization: of.named, handle: captureReaders.listReaders },
  },
  Guardrails: {
    Create: {
      ...change,
      roles: managers,
      organization: of.named,
      prepare: guardrails.prepareCreate,
      handle: guardrails.create,
    },
    Get: { ...read, roles: managers, organization: of.ofRow('guardrails'), handle: guardrails.get },
    List: { ...read, roles: managers, organization: of.named, handle: guardrails.list },
    Update: {
      ...change,
      roles: managers,
      organization: of.ofRow('guardrails'),
      prepare: guardrails.prepareUpdate,
      handle: guardrails.update,
    },
    RotateSecret: { ...managedChange, organization: of.ofRow('guardrails'), handle: guardrails.rotateSecret },
    Delete: { ...change, roles: managers, organization: of.ofRow('guardrails'), handle: guardrails.remove },
    Test: { ...trial, roles: managers, organization: of.named, handle: guardrailTest.test },
    ReportDecisions: proxy,
  },
  Invitations: signInMethods.Invitations,
  Ledger: {
    KeepSession: proxy,
    Draw: proxy,
    Return: proxy,
    ReportUsage: proxy,
    CloseSession: proxy,
  },
  Limits: {
    Create: { ...change, roles: managersAndPlatform, organization: of.namedOrPlatforms, handle: limits.create },
    Get: { ...read, roles: everybody, organization: of.ofLimitRow, handle: limits.get },
    List: { ...read, roles: everybody, organization: of.namedOrPlatforms, handle: limits.list },
    Update: { ...change, roles: managersAndPlatform, organization: of.ofLimitRow, handle: limits.update },
    Raise: { ...change, roles: managersAndPlatform, organization: of.ofLimitRow, handle: limitRaises.raise },
    EndRaise: { ...change, roles: managersAndPlatform, organization: of.ofLimitRow, handle: limitRaises.endRaise },
    Delete: { ...change, roles: managersAndPlatform, organization: of.ofLimitRow, handle: limits.remove },
  },
  Models: {
    List: { ...read, roles: managers, organization: of.named, handle: modelList.list },
  },
  OperatorTokens: signInMethods.OperatorTokens,
  Organizations: {
    Create: { ...change, roles: platform, organization: of.callersOwn, handle: organizations.create },
    Get: { ...read, ...all, roles: everybody, organization: of.itself, handle: organizations.get },
    List: { ...read, roles: everybody, organization: of.callersOwn, handle: organizations.list },
    UpdateSettings: { ...change, roles: managers, organization: of.itself, handle: organizations.update },
    Suspend: { ...suspension, handle: organizations.suspend },
    Resume: { ...suspension, handle: organizations.resume },
    SetWeight: { ...change, ...all, roles: platform, organization: of.itself, handle: organizations.setWeight },
    RotateRecordKey: { ...change, roles: managers, organization: of.itself, handle: recordKeys.rotate },
  },
  Overview: {
    Get: { ...sumRead, roles: withinOrganization, organization: of.named, handle: overview.get },
  },
  People: {
    Create: { ...sharedChange, organization: of.namedOrPlatform, handle: people.create },
    Get: { ...read, roles: everybody, organization: of.ofRow('people'), handle: people.get },
    List: { ...read, roles: managersAndPlatform, organization: of.namedOrPlatform, handle: people.list },
    Update: {
      ...change,
      roles: managersAndPlatform,
      organization: of.ofRow('people'),
      needsRecentSignIn: people.changesRole,
      handle: people.update,
    },
    Delete: { ...sharedChange, organization: of.ofRow('people'), handle: people.remove },
  },
  Prices: {
    Create: { ...change, roles: managers, organization: of.named, handle: prices.create },
    Get: { ...read, roles: managers, organization: of.ofRow('prices'), handle: prices.get },
    List: { ...read, roles: managers, organization: of.named, handle: prices.list },
    Update: { ...change, roles: managers, organization: of.ofRow('prices'), handle: prices.update },
    Delete: { ...change, roles: managers, organization: of.ofRow('prices'), handle: prices.remove },
  },
  ProviderKeys: {
    Create: { ...planned, roles: managers, organization: of.named, plan: providerKeys.planCreate },
    Get: { ...read, roles: managers, organization: of.ofRow('provider_keys'), handle: providerKeys.get },
    List: { ...read, roles: managers, organization: of.named, handle: providerKeys.list },
    Update: { ...managedChange, organization: of.ofRow('provider_keys'), handle: providerKeys.update },
    Delete: { ...managedChange, organization: of.ofRow('provider_keys'), handle: providerKeys.remove },
    Test: {
      ...planned,
      roles: managers,
      organization: of.ofRow('provider_keys'),
      plan: providerKeys.planTest,
    },
    ReportRefused: proxy,
  },
  Providers: {
    Create: { ...sharedChange, organization: of.namedOrPlatform, handle: providers.create },
    Get: { ...read, roles: managersAndPlatform, organization: of.ofReadableProvider, handle: providers.get },
    List: { ...read, roles: managersAndPlatform, organization: of.namedOrPlatform, handle: providers.list },
    Update: { ...sharedChange, organization: of.ofRow('providers'), handle: providers.update },
    Delete: { ...sharedChange, organization: of.ofRow('providers'), handle: providers.remove },
  },
  ProxyTokens: {
    Create: { ...change, ...recent, roles: platform, organization: of.callersOwn, handle: proxyTokens.create },
    List: { ...read, roles: platform, organization: of.callersOwn, handle: proxyTokens.list },
    Revoke: { ...change, roles: platform, organization: of.callersOwn, handle: proxyTokens.revoke },
  },
  Reconciliation: {
    ImportBill: { ...change, roles: managers, organization: of.named, handle: bills.importBill },
    ListBillDays: { ...read, roles: managers, organization: of.named, handle: bills.listBillDays },
    DeleteBill: { ...change, roles: managers, organization: of.named, handle: bills.deleteBill },
    SetMapping: { ...change, roles: managers, organization: of.named, handle: billMappings.setMapping },
    ListMappings: { ...read, roles: managers, organization: of.named, handle: billMappings.listMappings },
    DeleteMapping: { ...change, roles: managers, organization: of.named, handle: billMappings.deleteMapping },
    ListDrift: { ...read, roles: managers, organization: of.named, handle: billDrift.listDrift },
    GetDrift: { ...read, roles: managers, organization: of.named, handle: billDrift.getDrift },
    ListDays: { ...read, roles: managers, organization: of.named, handle: billDrift.listDays },
    Settle: { ...change, roles: managers, organization: of.named, handle: billAdjustments.settle },
    Undo: { ...change, roles: managers, organization: of.named, handle: billAdjustments.undo },
    ListAdjustments: {
      ...read,
      roles: managers,
      organization: of.named,
      handle: billAdjustments.listAdjustments,
    },
    GetSettings: { ...read, roles: managers, organization: of.named, handle: billSettings.getSettings },
    UpdateSettings: { ...managedChange, organization: of.named, handle: billSettings.updateSettings },
  },
  Requests: {
    Report: proxy,
    List: { ...trial, roles: withinOrganization, organization: of.named, handle: requests.list },
    Get: { ...read, roles: withinOrganization, organization: of.named, handle: requests.get },
  },
  Routes: {
    Create: { ...change, roles: managers, organization: of.named, handle: routes.create },
    Get: { ...read, roles: managers, organization: of.ofRow('routes'), handle: routes.get },
    List: { ...read, roles: managers, organization: of.named, handle: routes.list },
    Update: { ...change, roles: managers, organization: of.ofRow('routes'), handle: routes.update },
    Delete: { ...change, roles: managers, organization: of.ofRow('routes'), handle: routes.remove },
  },
  ScimTokens: signInMethods.ScimTokens,
  ServiceAccounts: signInMethods.ServiceAccounts,
  Sessions: signInMethods.Sessions,
  SignIn: signInMethods.SignIn,
  Status: {
    Get: { ...read, roles: everybody, organization: of.callersOwn, handle: status.get },
  },
  Stops: {
    Create: {
      ...change,
      ...recent,
      roles: managersAndPlatform,
      organization: of.namedOrPlatform,
      handle: stops.create,
    },
    Get: { ...read, roles: managersAndPlatform, organization: of.ofReadableStop, handle: stops.get },
    List: { ...read, roles: managersAndPlatform, organization: of.namedOrPlatform, handle: stops.list },
    Delete: { ...change, ...recent, roles: managersAndPlatform, organization: of.ofRow('stops'), handle: stops.remove },
  },
  Tokens: signInMethods.Tokens,
  Usage: {
    Totals: { ...sumRead, roles: withinOrganization, organization: of.named, handle: usage.totals },
    Series: { ...sumRead, roles: withinOrganization, organization: of.named, handle: usageSeries.series },
    Export: { ...download, roles: managers, organization: of.named, handle: usage.exportEvents },
  },
  VirtualKeys: {
    Create: { ...change, roles: withinOrganization, organization: of.named, handle: virtualKeys.create },
    Get: {
      ...read,
      roles: withinOrganization,
      organization: of.ofRow('virtual_keys'),
      handle: virtualKeys.get,
    },
    List: { ...read, roles: withinOrganization, organization: of.named, handle: virtualKeys.list },
    Explain: {
      ...read,
      roles: withinOrganization,
      organization: of.ofRow('virtual_keys'),
      handle: keyPolicy.explain,
    },
    Update: { ...managedChange, organization: of.ofRow('virtual_keys'), handle: virtualKeys.update },
    Rotate: {
      ...change,
      roles: withinOrganization,
      organization: of.ofRow('virtual_keys'),
      handle: virtualKeys.rotate,
    },
    Revoke: {
      ...change,
      roles: withinOrganization,
      organization: of.ofRow('virtual_keys'),
      handle: virtualKeys.revoke,
    },
  },
  Webhooks: {
    Create: { ...change, roles: managers, organization: of.named, handle: webhooks.create },
    Get: { ...read, roles: managers, organization: of.ofRow('webhooks'), handle: webhooks.get },
    List: { ...read, roles: managers, organization: of.named, handle: webhooks.list },
    Update: { ...change, roles: managers, organization: of.ofRow('webhooks'), handle: webhooks.update },
    RotateSecret: { ...managedChange, organization: of.ofRow('webhooks'), handle: webhooks.rotateSecret },
    Delete: { ...change, roles: managers, organization: of.ofRow('webhooks'), handle: webhooks.remove },
    ListDeliveries: { ...read, roles: managers, organization: of.ofWebhook, handle: deliveries.list },
    GetDelivery: { ...read, roles: managers, organization: of.ofDelivery, handle: deliveries.get },
    Test: { ...trial, roles: managers, organization: of.ofRow('webhooks'), handle: deliveries.test },
    Redeliver: { ...change, roles: managers, organization: of.ofDelivery, handle: deliveries.redeliver },
  },
} satisfies Table;

/** For example "VirtualKeys.Rotate". Audit events and metrics use this name. */
export type MethodName = {
  [Service in keyof typeof methods]: `${Service}.${Extract<keyof (typeof methods)[Service], string>}`;
}[keyof typeof methods];

export type AnyMethod = Method<unknown, object>;

const rows = new Map<string, AnyMethod>(
  Object.entries(methods).flatMap(([service, table]) =>
    Object.entries<AnyMethod>(table).map(([name, row]) => [`${service}.${name}`, row] as const),
  ),
);

export const methodNames = [...rows.keys()] as readonly MethodName[];

export function isMethodName(name: string): name is MethodName {
  return rows.has(name);
}

export function methodNamed(name: MethodName): AnyMethod {
  const method = rows.get(name);
  if (method === undefined) throw new Error(`no row for ${name} in methods.ts`);
  return method;
}

/** Whether the method responds with a stream of bytes. */
export function isDownload(name: MethodName): boolean {
  const method = methodNamed(name);
  return method.audience === 'operator' && method.effect === 'download';
}

/** @throws Error if the contract has a method that the table lacks, or the reverse */
export function assertEveryMethodHasARow(): void {
  const declared = Object.entries(contract.nested.gateway.nested.v1.nested).flatMap(([service, type]) =>
    'methods' in type ? Object.keys(type.methods).map((name) => `${service}.${name}`) : [],
  );
  const missing = declared.filter((name) => !rows.has(name));
  const extra = [...rows.keys()].filter((name) => !declared.includes(name));
  if (missing.length + extra.length === 0) return;
  throw new Error(`methods.ts and the contract differ: ${[...missing, ...extra].join(', ')}`);
}
