import { expect, it } from 'vitest';
import { missingChanges } from '../../../../control-plane/audit/missing-changes.ts';
import { missingChangesReport } from '../../../../control-plane/audit/report.ts';
import { takingAway } from '../../../../control-plane/audit/revocations.ts';
import type { Resource } from '../../../../gatewayctl/command.ts';
import * as captures from '../../../../gatewayctl/commands/captures.ts';
import * as guardrails from '../../../../gatewayctl/commands/guardrails.ts';
import * as invitations from '../../../../gatewayctl/commands/invitations.ts';
import * as issuers from '../../../../gatewayctl/commands/issuers.ts';
import * as keys from '../../../../gatewayctl/commands/keys.ts';
import * as limits from '../../../../gatewayctl/commands/limits.ts';
import * as organizations from '../../../../gatewayctl/commands/organizations.ts';
import * as people from '../../../../gatewayctl/commands/people.ts';
import * as providerKeys from '../../../../gatewayctl/commands/provider-keys.ts';
import * as providers from '../../../../gatewayctl/commands/providers.ts';
import * as routes from '../../../../gatewayctl/commands/routes.ts';
import * as sessions from '../../../../gatewayctl/commands/sessions.ts';
import * as settings from '../../../../gatewayctl/commands/settings.ts';
import * as stops from '../../../../gatewayctl/commands/stops.ts';
import * as systems from '../../../../gatewayctl/commands/systems.ts';
import * as tokens from '../../../../gatewayctl/commands/tokens.ts';
import * as webhooks from '../../../../gatewayctl/commands/webhooks.ts';
import { chained } from '../../../support/audit-events.ts';

const reportOf = (...reported: Parameters<typeof chained>[0]) =>
  missingChangesReport(missingChanges([], chained(reported)));

it('the report lists revocations with actor, time and the command that repeats them, then the other changes', () => {
  const by = { actor_id: 'person-7' };
  expect(
    reportOf(
      { action: 'VirtualKeys.Create', target_id: 'key-9', after: { name: 'new' }, ...by },
      {
        action: 'VirtualKeys.Revoke',
        target_id: 'key-1',
        before: { name: 'ci' },
        after: { name: 'ci' },
        ...by,
      },
      { action: 'Limits.Update', target_id: 'limit-1', before: { count: '9' }, after: { count: '5' }, ...by },
      { action: 'Limits.Create', target_id: 'limit-2', after: { count: '7' }, ...by },
    ),
  ).toEqual([
    '4 changes of the log are not in the database',
    '',
    'to be repeated, since it took something away that is there again:',
    '2026-11-22T00:00:02.000Z  VirtualKeys.Revoke virtual_key key-1 "ci", by person person-7',
    '    gatewayctl keys revoke key-1',
    '2026-11-22T00:00:03.000Z  Limits.Update virtual_key limit-1, by person person-7: count: "9" → "5"',
    '    gatewayctl limits update limit-1',
    '2026-11-22T00:00:04.000Z  Limits.Create virtual_key limit-2, by person person-7: {"count":"7"}',
    '    gatewayctl limits create',
    '',
    'undone as well:',
    '2026-11-22T00:00:01.000Z  VirtualKeys.Create virtual_key key-9 "new", by person person-7',
  ]);
});

it('the report warns first when the collected lines are unreliable', () => {
  const [, , third] = chained(['a', 'b', 'c'].map((target_id) => ({ action: 'VirtualKeys.Revoke', target_id })));
  expect(missingChangesReport(missingChanges([], third ? [third] : []))[1]).toBe(
    'do not rely on this list: lines are missing right before revision 3',
  );
});

it('the report contains no text that a terminal or a shell would interpret', () => {
  const evil = '\u001b[2J; rm -rf ~\n#';
  const lines = reportOf({
    ...{ action: 'VirtualKeys.Revoke', target_id: evil, target_kind: evil, actor_id: evil },
    ...{ before: { name: evil }, after: { name: evil, active: evil } },
  });
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
  expect(lines.find((line) => line.includes('gatewayctl'))).toBe('    gatewayctl keys revoke');
});

it('every command in the report is a command of gatewayctl for that very method', () => {
  const modules = [
    ...[captures, guardrails, keys, limits, organizations, people, providerKeys, providers, routes, settings, stops],
    ...[systems, tokens, webhooks, issuers, invitations, sessions],
  ];
  const commands = new Map<string, string>(
    modules
      .flatMap((module): readonly object[] => Object.values(module))
      .filter((one): one is Resource => 'commands' in one)
      .flatMap(({ name, commands }) =>
        Object.entries(commands).map(
          ([verb, command]) => [`${name} ${verb}`, 'method' in command ? command.method : ''] as const,
        ),
      ),
  );
  for (const [method, { command }] of Object.entries(takingAway)) expect(commands.get(command)).toBe(method);
});
