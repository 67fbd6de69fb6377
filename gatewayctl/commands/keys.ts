// Virtual keys: the keys that callers of the gateway send.
import type { Given, Resource } from '../command.ts';
import { checkUse, sayUse, snippet, usedBy } from './keys-snippet.ts';
import { allowedModels, allowUnmatched, fromNow, ifRevision, newName, rename, seconds, thing, time } from './shared.ts';

const scopes: readonly Given[] = [
  {
    flags: '--system <system>',
    about: 'of this AI system',
    field: 'scope.id',
    noun: 'system',
    beside: { 'scope.kind': 'KEY_SCOPE_KIND_AI_SYSTEM' },
  },
  {
    flags: '--person <person>',
    about: "of this person; me is you, and a member's default",
    field: 'scope.id',
    noun: 'person',
    beside: { 'scope.kind': 'KEY_SCOPE_KIND_PERSON' },
  },
];

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

export const keys: Resource = {
  name: 'keys',
  about: 'virtual keys, which callers of the gateway send',
  commands: {
    create: {
      method: 'VirtualKeys.Create',
      about:
        "create a key and print its value; it belongs to the organization unless an option names another owner, a member's key to the member",
      arguments: [newName],
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
        ...usedBy,
      ],
      otherwise: {
        field: 'scope.id',
        beside: { 'scope.kind': 'KEY_SCOPE_KIND_ORGANIZATION' },
        ofMember: { 'scope.kind': 'KEY_SCOPE_KIND_PERSON' },
      },
      secret: 'value',
      complete: checkUse,
      afterSecret: sayUse,
      file: true,
      examples: [
        'keys create checkout --system shop > key',
        'keys create laptop --person me --client codex --url https://gateway.example.com',
        "keys create trial --person 'Mo Member' --allow 'gpt-provider/*' --ends-in 30d",
        'keys create mine --person me',
      ],
    },
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
        ...scopes,
        { flags: '--include-revoked', about: 'revoked ones as well', field: 'includeRevoked' },
        { flags: '--status <status>', about: 'only these', field: 'statuses' },
      ],
      columns: {
        NAME: 'name',
        ID: 'id',
        HINT: 'hint',
        OF: 'scope.kind',
        STATUS: 'status',
        ENDS: '?endsAt',
        REVOKED: '?revokedAt',
        'LAST USED': 'lastUsedAt',
      },
      examples: ['keys list', 'keys list --system shop --include-revoked', 'keys list --status expired,inactive'],
    },
    update: {
      method: 'VirtualKeys.Update',
      about: 'change a key',
      arguments: [thing('key')],
      options: [
        rename,
        {
          flags: '--active <true|false>',
          about: 'false: it is refused until it is activated',
          field: 'active',
        },
        ...ends,
        { flags: '--endless', about: 'without an end', field: 'endsAt', read: () => '' },
        allowedModels,
        allowUnmatched,
        metadata,
        ...standing,
        ifRevision,
      ],
      file: true,
      examples: [
        'keys update checkout --active false',
        'keys update checkout --endless',
        'keys update nightly --priority-class batch',
      ],
    },
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
    revoke: {
      method: 'VirtualKeys.Revoke',
      about: 'revoke a key, for good',
      arguments: [thing('key')],
      prompt: 'Revoke the key {key}? Its callers are refused at once, and it stays revoked.',
      examples: ['keys revoke checkout --yes'],
    },
    snippet,
  },
};
