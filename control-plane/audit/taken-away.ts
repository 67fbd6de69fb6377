// Which events took something away from somebody: access, money, a secret that no longer counts. Undone by a restore, each of them
// has to be done again; whatever gave something is missed by those who need it.
import type { MethodName } from '../services/methods.ts';
import type { AuditEvent } from '../store/audit-chain.ts';

/** What is missing here gives or changes something, or did it in a way that says nothing about access. */
const rules: { readonly [Name in MethodName]?: 'always' | 'narrowing' } = {
  'AiSystems.Delete': 'always',
  'AiSystems.Update': 'narrowing',
  'Guardrails.Create': 'always',
  'Guardrails.RotateSecret': 'always',
  'Guardrails.Update': 'always',
  'Limits.Create': 'always',
  'Limits.Update': 'narrowing',
  'OperatorTokens.Revoke': 'always',
  'Organizations.Suspend': 'always',
  'Organizations.UpdateSettings': 'narrowing',
  'People.Delete': 'always',
  'People.Update': 'narrowing',
  'ProviderKeys.Delete': 'always',
  'ProviderKeys.Update': 'narrowing',
  'Providers.Delete': 'always',
  'Providers.Update': 'always',
  'ProxyTokens.Revoke': 'always',
  'VirtualKeys.Revoke': 'always',
  'VirtualKeys.Rotate': 'always',
  'VirtualKeys.Update': 'narrowing',
  'Webhooks.Delete': 'always',
  'Webhooks.RotateSecret': 'always',
  'Webhooks.Update': 'always',
};

export function takesAway({ action, after, before }: AuditEvent): boolean {
  const rule = Object.hasOwn(rules, action) ? rules[action as MethodName] : undefined;
  if (rule !== 'narrowing') return rule === 'always';
  const was = resource(before);
  const is = resource(after);
  return Object.entries(narrowings).some(([field, narrows]) => narrows(was[field], is[field]));
}

type Narrowing = (was: unknown, is: unknown) => boolean;

const smaller: Narrowing = (was, is) => Number(is) < Number(was);
const switchedOff: Narrowing = (was, is) => was === true && is !== true;
const another: Narrowing = (was, is) => JSON.stringify(was) !== JSON.stringify(is);

/** Of all resources: a name means the same in each. Where it is hard to say whether less is left, it counts as less. */
const narrowings: Readonly<Record<string, Narrowing>> = {
  active: switchedOff,
  enabled: switchedOff,
  allowedModels: another,
  amountUsd: smaller,
  count: smaller,
  endsAt: (was, is) =>
    is !== undefined && (was === undefined || Date.parse(String(is)) < Date.parse(String(was))),
  role: another,
  secretVersion: another,
  settings: another,
};

function resource(text: string | null): Readonly<Record<string, unknown>> {
  return JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>;
}
