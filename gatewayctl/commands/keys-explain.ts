// `gatewayctl keys explain`, for people: what a key may do and what binds it, a section each. And `keys find`, which
// looks for a key by its value or hint; the value is hashed here and never sent.
import { isCounterKind, wordsOfEach } from '../../common/counter-names.ts';
import { hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import type { ExplainVirtualKeyResponse__Output as Explained } from '../../proto/generated/gateway/v1/ExplainVirtualKeyResponse.ts';
import type { KeyLimit__Output as KeyLimit } from '../../proto/generated/gateway/v1/KeyLimit.ts';
import type { Stop__Output as Stop } from '../../proto/generated/gateway/v1/Stop.ts';
import { enumWord } from '../../proto/json/contract.ts';
import { type Command, type Invocation, isGiven, type MethodCommand, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { organizationInUse } from '../organization.ts';
import { type Pages, readPages } from '../pages.ts';
import { printList } from '../print-response.ts';
import { requireToken } from '../session.ts';
import { printable } from '../table.ts';
import { keyColumns } from './keys-select.ts';
import { thing } from './shared.ts';

export const explainKey: MethodCommand = {
  method: 'VirtualKeys.Explain',
  about:
    'show what a key may do now: whether it works, its models, stops, limits with what is left, guardrails and routes',
  arguments: [thing('key')],
  render: (response) => explained(response as Explained),
  examples: ['keys explain checkout', 'keys explain checkout --json'],
};

/** @param response the method's, as its client returns it */
function explained(response: Explained): string {
  const { virtualKey, blocks } = response;
  const name = printable(`${virtualKey?.name} (${virtualKey?.id})`);
  const works =
    blocks.length === 0 ? 'works' : `is refused: ${blocks.map((one) => enumWord('KeyBlock', one)).join(', ')}`;
  return [
    `${name} ${works}`,
    `of ${printable(ownerOf(response))}; ${useOf(response)}`,
    `own provider keys of callers: ${response.callerProviderKeys ? 'allowed' : 'refused'}`,
    modelsText(response),
    ...response.allowLists.map(({ holderName, holder, globs }) =>
      printable(`  ${enumWord('LimitSubjectKind', holder?.kind ?? '')} ${holderName} allows ${globs.join(', ')}`),
    ),
    ...section('stops', response.stops.map(stopText)),
    ...section('limits', response.limits.map(limitText)),
    ...section(
      'guardrails, in order',
      response.guardrails.map((one) =>
        printable(`${one.name}: ${enumWord('GuardrailAction', one.action)}, ${enumWord('GuardrailStage', one.stage)}`),
      ),
    ),
    ...section('routes', routesOf(response)),
    '',
  ].join('\n');
}

function routesOf({ routes, routesAllowed }: Explained): readonly string[] {
  const more = routesAllowed > routes.length ? [`and ${routesAllowed - routes.length} more`] : [];
  return [...routes.map(printable), ...more];
}

function ownerOf({ virtualKey }: Explained): string {
  return `${enumWord('KeyScopeKind', virtualKey?.scope?.kind ?? '')} ${virtualKey?.scopeName ?? ''}`;
}

function useOf({ virtualKey }: Explained): string {
  const from = virtualKey?.lastUsedFrom;
  const where = from ? `, request ${from.requestId} for ${from.model}` : '';
  const used = virtualKey?.lastUsedAt === undefined ? 'never used' : `last used ${virtualKey.lastUsedAt}${where}`;
  return printable(`${used}; $${virtualKey?.spendMonthUsd ?? '0'} this month`);
}

/** Names on one line. */
const shownMax = 12;

function modelsText({ models, modelsAllowed, modelsKnown, modelsOpen }: Explained): string {
  const shown = models.slice(0, shownMax);
  const more = modelsAllowed > shown.length ? ` and ${modelsAllowed - shown.length} more` : '';
  const names = shown.length === 0 ? '' : `: ${shown.join(', ')}${more}`;
  const open = modelsOpen ? '; and names that cannot be listed' : '';
  return printable(`models: ${modelsAllowed} of ${modelsKnown}${names}${open}`);
}

function limitText({ limit, subjectName, window }: KeyLimit): string {
  const of = `${enumWord('LimitSubjectKind', limit?.subject?.kind ?? '')} ${subjectName}`;
  const models = `${limit?.model === undefined ? '' : ` for ${limit.model}`}${countingText(limit)}`;
  const kind = enumWord('LimitKind', limit?.kind ?? '');
  if (limit?.amountUsd === undefined) return printable(`${of}: ${limit?.count} ${kind}${models}`);
  const period = enumWord('BudgetPeriod', limit.period ?? '');
  const highest = window?.counters ? ` of the highest, ${window.counter}` : '';
  const left = window
    ? `, $${window.freeUsd} left${highest}${window.endsAt === undefined ? '' : ` until ${window.endsAt}`}`
    : '';
  return printable(`${of}: $${limit.amountUsd} a ${period}${models}${left}`);
}

/** For example " with feature=search for each user". */
function countingText(limit: KeyLimit['limit']): string {
  const tag = limit?.tag ? ` with ${limit.tag.name}=${limit.tag.value}` : '';
  const { each: kind } = limit ?? {};
  const each = kind === undefined ? '' : ` for each ${isCounterKind(kind) ? wordsOfEach(kind) : kind}`;
  const { traffic } = limit ?? {};
  return `${traffic === undefined ? '' : ` for ${enumWord('LimitTraffic', traffic)} keys`}${tag}${each}`;
}

function stopText({ target, organizationId, reason, endsAt }: Stop): string {
  const names = [target?.provider, target?.model].filter((name) => name !== undefined).join(' ');
  const what = target?.directKeys ? 'own provider keys of callers' : names;
  const by = organizationId === undefined ? ', of the platform' : '';
  return printable(`${what}${by}: ${reason}${endsAt === undefined ? '' : `; until ${endsAt}`}`);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`${title}: none`] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

const valueFile = {
  flags: '--value-file <file>',
  about: "the key's value, - for standard input; it is hashed and not sent",
};
const hint = { flags: '--hint <characters>', about: 'the last four characters of a value' };

export const findKeys: Command = {
  about: 'find a key by its value, which comes from a prompt or a file, or by its hint, revoked ones as well',
  options: [valueFile, hint],
  run: find,
  examples: ['keys find', 'keys find --value-file ./key', 'keys find --hint 4mQv'],
};

async function find(invocation: Invocation): Promise<void> {
  requireToken(await invocation.session());
  const text = textOf(invocation, hint.flags);
  if (text !== undefined && isGiven(invocation, valueFile.flags))
    throw usageMistake('--hint excludes --value-file; keep one of them');
  if (text !== undefined) return await show(await keysWith(invocation, { text }), invocation);
  const value = await readValue(invocation);
  const pages = await keysWith(invocation, { valueSha256: hashCredential(value) });
  if (pages.items.length > 0) return await show(pages, invocation);
  // The values of revoked keys are gone, their hints are not.
  const similar = await keysWith(invocation, { text: value.slice(-4), statuses: ['KEY_STATUS_REVOKED'] });
  const more = similar.items.length === 0 ? '' : '; it may be one of these revoked ones, which have its hint:';
  invocation.io.say(`no key of the organization has this value${more}`);
  if (similar.items.length > 0) await show(similar, invocation);
}

/** @throws Failure that does not contain the text */
async function readValue(invocation: Invocation): Promise<string> {
  const { io } = invocation;
  const file = textOf(invocation, valueFile.flags);
  const text = file === undefined && io.interactive ? await io.askHidden('Value: ') : await readGiven(file ?? '-', io);
  const value = text.trim();
  if (isWellFormedCredential('virtualKey', value)) return value;
  throw usageMistake('this is no whole value of a virtual key: it is cut short, mistyped or another credential');
}

async function keysWith(invocation: Invocation, filter: object): Promise<Pages> {
  const request = { organizationId: await organizationInUse(invocation), includeRevoked: true, ...filter };
  return await readPages(await invocation.client(), 'VirtualKeys.List', request, Number.POSITIVE_INFINITY);
}

const listed: MethodCommand = { method: 'VirtualKeys.List', about: '', columns: keyColumns, examples: [] };

async function show(pages: Pages, invocation: Invocation): Promise<void> {
  await printList(listed, pages, invocation);
}
