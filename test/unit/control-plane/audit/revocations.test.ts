import { expect, it } from 'vitest';
import { type MethodName, methodNamed, methodNames } from '../../../../control-plane/api/methods.ts';
import { takesAway } from '../../../../control-plane/audit/revocations.ts';
import { chained } from '../../../support/audit-events.ts';

const verdicts = (action: string, before?: object, after?: object) => {
  const [event] = chained([{ action, target_id: 'x', ...(before && { before }), ...(after && { after }) }]);
  return event !== undefined && takesAway(event);
};

it('revocations, deletions, suspensions, new limits and new guardrails always revoke access', () => {
  const changes = methodNames.filter((name) => isChange(name) && verdicts(name));
  expect(changes).toEqual([
    ...[
      'AiSystems.Delete',
      'Captures.Disable',
      'Captures.Revoke',
      'Guardrails.Create',
      'Guardrails.Update',
      'Guardrails.RotateSecret',
    ],
    ...['Invitations.Delete', 'Limits.Create'],
    ...[
      'OperatorTokens.Revoke',
      'Organizations.Suspend',
      'Organizations.RotateRecordKey',
      'People.Delete',
      'ProviderKeys.Delete',
    ],
    ...['Providers.Update', 'Providers.Delete', 'ProxyTokens.Revoke', 'Routes.Update', 'Routes.Delete'],
    ...['Sessions.Revoke', 'SignIn.UpdateIssuer', 'SignIn.DeleteIssuer'],
    'Stops.Create',
    ...['VirtualKeys.Rotate', 'VirtualKeys.Revoke'],
    ...['Webhooks.Update', 'Webhooks.RotateSecret', 'Webhooks.Delete'],
  ]);
});

it.each<[MethodName, object, object]>([
  ['VirtualKeys.Update', { active: true }, { active: false }],
  ['VirtualKeys.Update', {}, { endsAt: '2026-12-01T00:00:00Z' }],
  ['VirtualKeys.Update', { endsAt: '2026-12-02T00:00:00Z' }, { endsAt: '2026-12-01T00:00:00Z' }],
  ['VirtualKeys.Update', { allowedModels: [] }, { allowedModels: ['gpt-provider/*'] }],
  ['People.Update', { role: 'ROLE_OWNER' }, { role: 'ROLE_MEMBER' }],
  ['People.Update', { active: true }, { active: false }],
  ['AiSystems.Update', { active: true }, { active: false }],
  ['ProviderKeys.Update', { enabled: true }, { enabled: false }],
  ['ProviderKeys.Update', { secretVersion: 1 }, { secretVersion: 2 }],
  ['Limits.Update', { amountUsd: '10' }, { amountUsd: '9.5' }],
  ['Limits.Update', { count: '100' }, { count: '20' }],
  [
    'Organizations.UpdateSettings',
    { settings: { access: { callerProviderKeys: true } } },
    { settings: { access: { callerProviderKeys: false } } },
  ],
])('%s from %j to %j revokes access', (action, before, after) => {
  expect(verdicts(action, before, after)).toBe(true);
});

it.each<[string, object, object]>([
  ['VirtualKeys.Update', { name: 'a', active: true }, { name: 'b', active: true }],
  ['VirtualKeys.Update', { active: false }, { active: true }],
  ['VirtualKeys.Update', { endsAt: '2026-12-01T00:00:00Z' }, {}],
  ['VirtualKeys.Update', { endsAt: '2026-12-01T00:00:00Z' }, { endsAt: '2026-12-02T00:00:00Z' }],
  ['Limits.Update', { amountUsd: '9.5' }, { amountUsd: '10' }],
  ['Limits.Update', { count: '20' }, { count: '100' }],
  ['VirtualKeys.Create', {}, { active: false }],
  ['Guardrails.ReportDecisions', {}, {}],
  ['ProviderKeys.ReportRefused', {}, {}],
  ['ProviderKeys.Reseal', {}, {}],
  ['toString', {}, {}],
])('%s from %j to %j revokes nothing', (action, before, after) => {
  expect(verdicts(action, before, after)).toBe(false);
});

function isChange(name: MethodName): boolean {
  const method = methodNamed(name);
  return method.audience === 'operator' && ['change', 'planned'].includes(method.effect);
}
