// Virtual keys: the keys that callers of the gateway send.
import type { Given, Invocation, MethodCommand, Request, Resource } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { bulkOptions, onAll } from './keys-bulk.ts';
import { explainKey, findKeys } from './keys-explain.ts';
import { fromFile, importNotes, importOptions } from './keys-import.ts';
import { keyColumns, listOptions, scopes, withEnds, withOrganizationScope } from './keys-select.ts';
import { checkUse, sayUse, snippet, usedBy } from './keys-snippet.ts';
import { fromTemplate, template } from './keys-template.ts';
import { allowedModels, allowUnmatched, fromNow, ifRevision, newName, rename, seconds, thing, time } from './shared.ts';

const ends: readonly Given[] = [
  { flags: '--ends-at <time>', about: 'until then, a date or RFC 3339', field: 'endsAt', read: time },
  {
    flags: '--ends-in <duration>',
    about: 'for so long from now, such as 30d',
    field: 'endsAt',
    read: fromNow,
  },
];

const metadata: Given = {
  flags: '--metadata <name=value>',
  about: 'recorded with its usage, for usage totals --by metadata.<name>; repeat it for more',
  field: 'metadata.entries',
};

const standing: readonly Given[] = [
  {
    flags: '--priority-class <class>',
    about: 'interactive, or batch: refused first when its organization runs out of slots for requests',
    field: 'priorityClass',
  },
  {
    flags: '--weight <number>',
    about: "1 to 1000, usually 100: its part of the organization's slots when they are scarce",
    field: 'weight',
  },
];

/** A key, unless the command is about many. */
const oneKey: Given = { ...thing('key'), flags: '[key]' };

const purgeCaptures: Given = {
  flags: '--purge-captures',
  about: 'also delete the captured texts of its requests; owners only, and only of a key that is switched off',
  field: 'purgeCaptures',
};

/** Another owner of a key. */
const moves: readonly Given[] = [
  ...scopes.map((given) => ({ ...given, about: `move it to this ${given.noun}` })),
  {
    flags: '--whole-organization',
    about: 'move it to the organization as a whole',
    field: 'scope.kind',
    read: () => 'KEY_SCOPE_KIND_ORGANIZATION',
  },
];

function checkCreated(request: Request, invocation: Invocation): Request {
  if (request.name === undefined) throw usageMistake('name the key, or give rows of keys by --from');
  return checkUse(request, invocation);
}

const create: MethodCommand = {
  method: 'VirtualKeys.Create',
  about:
    "create a key and print its value; it belongs to the organization unless an option names another owner, a member's key to the member",
  arguments: [{ ...newName, flags: '[name]' }],
  options: [
    ...scopes,
    allowedModels,
    allowUnmatched,
    ...ends,
    metadata,
    ...standing,
    {
      flags: '--active <true|false>',
      about: 'false: it is refused until it is activated',
      field: 'active',
    },
    {
      flags: '--client-request-id <id>',
      about: 'creates one key however often it is sent; only the first response contains the value',
      field: 'clientRequestId',
    },
    ...[template, ...importOptions, ...usedBy],
  ],
  otherwise: {
    field: 'scope.id',
    beside: { 'scope.kind': 'KEY_SCOPE_KIND_ORGANIZATION' },
    ofMember: { 'scope.kind': 'KEY_SCOPE_KIND_PERSON' },
  },
  secret: 'value',
  instead: (invocation) => fromFile(invocation) ?? fromTemplate(() => create, invocation),
  complete: checkCreated,
  afterSecret: sayUse,
  file: true,
  examples: [
    'keys create checkout --system shop > key',
    'keys create laptop --person me --client codex --url https://gateway.example.com',
    "keys create trial --person 'Mo Member' --allow 'gpt-provider/*' --ends-in 30d",
    'keys create mine --person me',
    'keys create trial-7 --template trial.json',
    'keys create --from keys.csv --values-file values.csv',
  ],
  notes: importNotes,
};

const update: MethodCommand = {
  method: 'VirtualKeys.Update',
  about: 'change a key, or all keys that --where selects; --system, --person or --whole-organization move it',
  arguments: [oneKey],
  options: [
    rename,
    ...moves,
    {
      flags: '--active <true|false>',
      about: 'false: it is refused until it is activated',
      field: 'active',
    },
    purgeCaptures,
    ...ends,
    { flags: '--endless', about: 'without an end', field: 'endsAt', read: () => '' },
    allowedModels,
    allowUnmatched,
    metadata,
    ...standing,
    ifRevision,
    ...bulkOptions,
  ],
  file: true,
  complete: withOrganizationScope,
  instead: onAll(() => update, {
    verb: 'change',
    warning: 'Requests notice it at once.',
    single: [rename, ifRevision],
    guarded: true,
  }),
  examples: [
    'keys update checkout --active false',
    'keys update checkout --system shop',
    'keys update --where unused-since=30d --active false',
    'keys update checkout --endless',
    'keys update nightly --priority-class batch',
  ],
};

const revoke: MethodCommand = {
  method: 'VirtualKeys.Revoke',
  about: 'revoke a key, or all keys that --where selects, for good',
  arguments: [oneKey],
  options: [...bulkOptions, purgeCaptures],
  instead: onAll(() => revoke, {
    verb: 'revoke',
    warning: 'Their callers are refused at once, and they stay revoked.',
    single: [],
    guarded: false,
  }),
  prompt: 'Revoke the key {key}? Its callers are refused at once, and it stays revoked.',
  examples: ['keys revoke checkout --yes', 'keys revoke --where status=expired --yes'],
};

export const keys: Resource = {
  name: 'keys',
  about: 'virtual keys, which callers of the gateway send',
  commands: {
    create,
    get: {
      method: 'VirtualKeys.Get',
      about: 'show a key, never its value',
      arguments: [thing('key')],
      examples: ['keys get checkout'],
    },
    list: {
      method: 'VirtualKeys.List',
      about: 'list keys',
      options: [
        ...listOptions,
        {
          flags: '--without-playground',
          about: 'without the keys for an hour of the console’s playground',
          field: 'withoutPlayground',
        },
        { flags: '--include-revoked', about: 'revoked ones as well', field: 'includeRevoked' },
        { flags: '--spend', about: "also this month's spend", field: 'withSpend' },
      ],
      complete: withEnds,
      columns: keyColumns,
      examples: [
        'keys list',
        'keys list --system shop --include-revoked',
        'keys list --status expired,inactive',
        'keys list --unused-since 30d --spend',
        'keys list --ends-within 14d',
      ],
    },
    explain: explainKey,
    find: findKeys,
    update,
    rotate: {
      method: 'VirtualKeys.Rotate',
      about: 'give a key a new value and print it',
      arguments: [thing('key')],
      options: [
        {
          flags: '--grace <duration>',
          about: 'how long the present value still works, at most 30d; without it, it stops at once',
          field: 'graceSeconds',
          read: seconds,
        },
      ],
      prompt: 'Rotate {key}? Without --grace its present value stops at once.',
      secret: 'value',
      examples: ['keys rotate checkout --grace 1d --yes'],
    },
    revoke,
    snippet,
  },
};
