// Captures: texts of requests and responses, kept for a time where an owner has turned that on.
import type { Given, Resource } from '../command.ts';
import { fromNow, time } from './shared.ts';

const reader: Given = { flags: '<person>', about: 'id or name', field: 'personId', noun: 'person' };

const ends: readonly Given[] = [
  {
    flags: '--for <duration>',
    about: 'for so long from now, such as 2h; at most 30d',
    field: 'endsAt',
    read: fromNow,
  },
  { flags: '--ends-at <time>', about: 'until then, a date or RFC 3339', field: 'endsAt', read: time },
];

export const captures: Resource = {
  name: 'captures',
  about: 'texts of requests and responses, kept for a time: when, whose, and who may open them',
  commands: {
    enable: {
      method: 'Captures.Enable',
      about:
        'keep the texts of requests and responses of the organization, an AI system or a key until an end; owners only. Every caller gets x-svc-captured: true',
      options: [
        {
          flags: '--system <system>',
          about: 'only of this AI system',
          field: 'target.id',
          noun: 'system',
          beside: { 'target.kind': 'CAPTURE_TARGET_KIND_AI_SYSTEM' },
        },
        {
          flags: '--key <key>',
          about: 'only of this key',
          field: 'target.id',
          noun: 'key',
          beside: { 'target.kind': 'CAPTURE_TARGET_KIND_VIRTUAL_KEY' },
        },
        ...ends,
        {
          flags: '--sample <number>',
          about: 'of 1,000 requests, so many, 1 to 1000; default: all',
          field: 'samplePerThousand',
        },
        {
          flags: '--retention <days>',
          about: 'how many days texts are kept, 1 to 30; default: 7',
          field: 'retentionDays',
        },
        {
          flags: '--side-bytes <number>',
          about: 'the most bytes of a request and of a response, 1024 to 65536, which is the default; the rest is cut',
          field: 'sideBytesMax',
        },
      ],
      otherwise: { field: 'target.id', beside: { 'target.kind': 'CAPTURE_TARGET_KIND_ORGANIZATION' } },
      examples: [
        'captures enable --key checkout --for 2h',
        'captures enable --system support-bot --for 7d --sample 50 --retention 3',
      ],
    },
    disable: {
      method: 'Captures.Disable',
      about: 'stop a setting before its end; owners only',
      arguments: [{ flags: '<id>', about: 'its id', field: 'id' }],
      options: [{ flags: '--purge', about: 'also delete at once what it has kept', field: 'purge' }],
      prompt: 'Stop capturing by the setting {id}? With --purge what it has kept is deleted.',
      examples: ['captures disable 01890000-0000-7000-8000-000000000000 --purge --yes'],
    },
    list: {
      method: 'Captures.ListSettings',
      about: 'list the settings of captures; ended ones for a month',
      columns: {
        ID: 'id',
        OF: 'target.kind',
        NAME: '?targetName',
        ENDS: 'endsAt',
        ACTIVE: 'active',
        'PER 1000': 'samplePerThousand',
        DAYS: 'retentionDays',
        SIDES: 'sides',
        BYTES: 'bytes',
        BY: '?createdByName',
      },
      examples: ['captures list'],
    },
    open: {
      method: 'Captures.Get',
      about:
        'show the kept texts of one request; owners, and people whom an owner has named. The audit log gets the reason',
      arguments: [
        { flags: '<request-id>', about: 'the x-request-id of its response, or the id of its row', field: 'id' },
      ],
      options: [{ flags: '--reason <text>', about: 'why, in 10 to 500 characters', field: 'reason', required: true }],
      onlyPresent: true,
      examples: ['captures open 0199e8a2-5b1c-7f3e-9d7a-3c5e1b2f4a6d --reason "ticket 4711: a wrong response"'],
    },
    grant: {
      method: 'Captures.Grant',
      about: 'let a person open kept texts until an end; owners only',
      arguments: [reader],
      options: ends,
      examples: ['captures grant ada --for 7d'],
    },
    revoke: {
      method: 'Captures.Revoke',
      about: 'end a grant at once; owners only',
      arguments: [reader],
      prompt: 'End the grant of {person}? They open no content any more.',
      done: 'revoked',
      examples: ['captures revoke ada'],
    },
    readers: {
      method: 'Captures.ListReaders',
      about: 'list who may open kept texts besides owners; owners only',
      columns: { PERSON: 'personName', ID: 'personId', SINCE: 'grantedAt', ENDS: 'endsAt' },
      examples: ['captures readers'],
    },
  },
};
