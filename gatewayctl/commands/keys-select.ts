// Which virtual keys a command is about: conditions that `keys list` takes as options, and `--where` of commands that
// change many keys.
import type { Given, Invocation, Request } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { writeValue } from '../method-command.ts';
import { organizationInUse } from '../organization.ts';
import { pairOf } from '../pair.ts';
import { checkRequest, fieldAt, getField, setField, takesSeveral } from '../request.ts';
import { startOf } from '../time-words.ts';
import { fromNow } from './shared.ts';

type Condition = Given & { readonly field: string };

const ofSystem: Condition = {
  flags: '--system <system>',
  about: 'of this AI system',
  field: 'scope.id',
  noun: 'system',
  beside: { 'scope.kind': 'KEY_SCOPE_KIND_AI_SYSTEM' },
};

const ofPerson: Condition = {
  flags: '--person <person>',
  about: "of this person; me is you, and a member's default",
  field: 'scope.id',
  noun: 'person',
  beside: { 'scope.kind': 'KEY_SCOPE_KIND_PERSON' },
};

/** The owner of a key, other than its organization. */
export const scopes: readonly Given[] = [ofSystem, ofPerson];

/** By the name that they have in --where; each is an option of `keys list`. */
const conditions = {
  system: ofSystem,
  person: ofPerson,
  status: { flags: '--status <status>', about: 'only these', field: 'statuses' },
  'unused-since': {
    flags: '--unused-since <when>',
    about: 'older keys that nobody has used since then, such as 30d or 2026-11-01',
    field: 'unusedSince',
    read: startOf,
  },
  'ends-within': {
    flags: '--ends-within <duration>',
    about: 'that end within this time from now, such as 14d',
    field: 'endsBefore',
    read: fromNow,
  },
  text: {
    flags: '--text <text>',
    about: 'whose name begins with it, in any case, or whose hint it is',
    field: 'text',
  },
  'created-by': {
    flags: '--created-by <person>',
    about: 'that this person created; me is you',
    field: 'createdBy',
    noun: 'person',
  },
} as const satisfies Readonly<Record<string, Condition>>;

export const listOptions: readonly Given[] = Object.values(conditions);

/** Completes a list request: keys that have ended already do not end within the next days. */
export function withEnds(request: Request): Request {
  return request.endsBefore === undefined ? request : { ...request, endsAfter: new Date().toISOString() };
}

export const where: Given = {
  flags: '--where <condition=value>',
  about: `in place of a key, all keys that are so: ${Object.keys(conditions).join(', ')}; repeat it for more conditions`,
  several: true,
};

const listType = 'ListVirtualKeysRequest';

/** The list request of conditions such as `unused-since=30d`. @throws Failure, CallFailure */
export async function selecting(texts: readonly string[], invocation: Invocation): Promise<object> {
  const organizationId = await organizationInUse(invocation);
  const request: Request = { organizationId };
  for (const text of texts) {
    const { given, value } = conditionOf(text);
    if (getField(request, given.field) !== undefined)
      throw usageMistake(`--where ${text} repeats or excludes another condition; keep one of them`);
    const several = takesSeveral(fieldAt(listType, given.field));
    const context = { requestType: listType, invocation, organizationId: async () => organizationId };
    await writeValue(request, given, { ...context, value: several ? value.split(',') : value });
  }
  return checkRequest(listType, withEnds(request), listOptions);
}

function conditionOf(text: string): { readonly given: Condition; readonly value: string } {
  const [name = '', value = ''] = pairOf(text) ?? [];
  if (!isCondition(name) || value === '')
    throw usageMistake(`--where must be <condition>=<value>, with one of ${Object.keys(conditions).join(', ')}`);
  return { given: conditions[name], value };
}

function isCondition(name: string): name is keyof typeof conditions {
  return Object.hasOwn(conditions, name);
}

/** Columns of lists of keys. */
export const keyColumns = {
  NAME: 'name',
  ID: 'id',
  HINT: 'hint',
  OF: 'scope.kind',
  STATUS: 'status',
  OWNER: '?scopeName',
  ENDS: '?endsAt',
  REVOKED: '?revokedAt',
  'LAST USED': 'lastUsedAt',
  'SPEND USD': '?spendMonthUsd',
} as const;

/** The request's scope for the whole organization; an option sets the kind alone. */
export async function withOrganizationScope(request: Request, invocation: Invocation): Promise<Request> {
  if (getField(request, 'scope.kind') !== 'KEY_SCOPE_KIND_ORGANIZATION') return request;
  if (getField(request, 'scope.id') !== undefined)
    throw usageMistake('--whole-organization excludes another owner; keep one of them');
  const completed = { ...request };
  setField(completed, 'scope.id', await organizationInUse(invocation));
  return completed;
}
