// Decides which events revoked something: access, money, or a secret that is no longer valid. After a restore has
// undone such an event, an operator has to repeat it. Undone grants are noticed by the people who need them.
import { anObject } from '../../common/json-shape.ts';
import type { MethodName } from '../api/methods.ts';
import type { AuditEvent } from '../store/audit-chain.ts';
import { readColumn } from '../store/json-columns.ts';

interface Rule {
  readonly takes: 'always' | 'narrowing';
  /** The arguments of `gatewayctl` that repeat the change. */
  readonly command: string;
}

/** A method that is missing here grants or changes something, or its events do not show whether access was lost. */
export const takingAway: { readonly [Name in MethodName]?: Rule } = {
  'AiSystems.Delete': { takes: 'always', command: 'systems delete' },
  'AiSystems.Update': { takes: 'narrowing', command: 'systems update' },
  'Captures.Disable': { takes: 'always', command: 'captures disable' },
  'Captures.Revoke': { takes: 'always', command: 'captures revoke' },
  'Guardrails.Create': { takes: 'always', command: 'guardrails create' },
  'Guardrails.RotateSecret': { takes: 'always', command: 'guardrails rotate-secret' },
  'Guardrails.Update': { takes: 'always', command: 'guardrails update' },
  'Invitations.Delete': { takes: 'always', command: 'invitations delete' },
  'Limits.Create': { takes: 'always', command: 'limits create' },
  'Limits.Update': { takes: 'narrowing', command: 'limits update' },
  'OperatorTokens.Revoke': { takes: 'always', command: 'operator-tokens revoke' },
  'Organizations.RotateRecordKey': { takes: 'always', command: 'settings rotate-record-key' },
  'Organizations.Suspend': { takes: 'always', command: 'organizations suspend' },
  'Organizations.UpdateSettings': { takes: 'narrowing', command: 'settings update' },
  'People.Delete': { takes: 'always', command: 'people delete' },
  'People.Update': { takes: 'narrowing', command: 'people update' },
  'ProviderKeys.Delete': { takes: 'always', command: 'provider-keys delete' },
  'ProviderKeys.Update': { takes: 'narrowing', command: 'provider-keys update' },
  'Providers.Delete': { takes: 'always', command: 'providers delete' },
  'Providers.Update': { takes: 'always', command: 'providers update' },
  'ProxyTokens.Revoke': { takes: 'always', command: 'proxy-tokens revoke' },
  'Routes.Delete': { takes: 'always', command: 'routes delete' },
  'Routes.Update': { takes: 'always', command: 'routes update' },
  'Sessions.Revoke': { takes: 'always', command: 'sessions revoke' },
  'SignIn.DeleteIssuer': { takes: 'always', command: 'issuers delete' },
  'SignIn.UpdateIssuer': { takes: 'always', command: 'issuers update' },
  'Stops.Create': { takes: 'always', command: 'stops create' },
  'VirtualKeys.Revoke': { takes: 'always', command: 'keys revoke' },
  'VirtualKeys.Rotate': { takes: 'always', command: 'keys rotate' },
  'VirtualKeys.Update': { takes: 'narrowing', command: 'keys update' },
  'Webhooks.Delete': { takes: 'always', command: 'webhooks delete' },
  'Webhooks.RotateSecret': { takes: 'always', command: 'webhooks rotate-secret' },
  'Webhooks.Update': { takes: 'always', command: 'webhooks update' },
};

export function takesAway({ action, after, before, revision }: AuditEvent): boolean {
  const rule = ruleOf(action);
  if (rule?.takes !== 'narrowing') return rule?.takes === 'always';
  const was = fieldsOf(before, revision);
  const is = fieldsOf(after, revision);
  return Object.entries(narrowings).some(([field, narrows]) => narrows(was[field], is[field]));
}

/** Undefined for an event that revokes nothing. */
export function commandFor({ action }: AuditEvent): string | undefined {
  return ruleOf(action)?.command;
}

function ruleOf(action: string): Rule | undefined {
  return Object.hasOwn(takingAway, action) ? takingAway[action as MethodName] : undefined;
}

type Narrowing = (was: unknown, is: unknown) => boolean;

const smaller: Narrowing = (was, is) => Number(is) < Number(was);
const switchedOff: Narrowing = (was, is) => was === true && is !== true;
const another: Narrowing = (was, is) => JSON.stringify(was) !== JSON.stringify(is);

/**
 * For all resources, because a field name means the same in each. A change that may leave less counts as leaving less.
 */
const narrowings: Readonly<Record<string, Narrowing>> = {
  active: switchedOff,
  enabled: switchedOff,
  allowedModels: another,
  amountUsd: smaller,
  count: smaller,
  endsAt: (was, is) => is !== undefined && (was === undefined || Date.parse(String(is)) < Date.parse(String(was))),
  role: another,
  secretVersion: another,
  settings: another,
};

/** @param text the resource of an audit event, before or after the change */
export function fieldsOf(text: string | null, revision: number): Readonly<Record<string, unknown>> {
  return text === null ? {} : readColumn(text, anObject, `audit_events of ${revision}`);
}
