// Organizations: the tenants.
import type { Resource } from '../command.ts';
import { fromNow, ifRevision, newName } from './shared.ts';

const columns = { NAME: 'name', ID: 'id', SUSPENDED: 'suspended', CREATED: 'createdAt' };

export const organizations: Resource = {
  name: 'organizations',
  aliases: ['orgs'],
  about: 'tenants of the gateway',
  commands: {
    create: {
      method: 'Organizations.Create',
      about: "create an organization and its first owner; prints the owner's token",
      arguments: [newName],
      options: [
        { flags: '--owner <name>', about: "the first owner's name", field: 'owner.name', required: true },
        { flags: '--owner-email <address>', about: "the first owner's email address", field: 'owner.email' },
      ],
      secret: 'ownerToken',
      examples: ['organizations create acme --owner "Olga Owner" > owner-token'],
    },
    get: {
      method: 'Organizations.Get',
      about: 'show an organization',
      arguments: [
        {
          flags: '[organization]',
          about: 'id or name; default: the one in use',
          field: 'id',
          noun: 'organization',
        },
      ],
      otherwise: { field: 'id' },
      examples: ['organizations get acme', 'organizations get --json'],
    },
    list: {
      method: 'Organizations.List',
      about: 'list organizations: operators of the platform see all',
      columns,
      examples: ['organizations list'],
    },
    suspend: {
      method: 'Organizations.Suspend',
      about: 'refuse all requests of an organization until it is resumed or the suspension ends',
      arguments: [{ flags: '<organization>', about: 'id or name', field: 'id', noun: 'organization' }],
      options: [
        { flags: '--reason <text>', about: 'for operators; callers do not get it', field: 'reason' },
        {
          flags: '--ends-in <duration>',
          about: 'for so long from now, such as 2h; default: until it is resumed',
          field: 'endsAt',
          read: fromNow,
        },
      ],
      prompt: 'Suspend {organization}? All its keys are refused at once.',
      examples: [
        'organizations suspend acme --yes',
        'organizations suspend acme --reason "unpaid since May" --ends-in 30d --yes',
      ],
    },
    resume: {
      method: 'Organizations.Resume',
      about: 'let a suspended organization call again',
      arguments: [{ flags: '<organization>', about: 'id or name', field: 'id', noun: 'organization' }],
      examples: ['organizations resume acme'],
    },
    'set-weight': {
      method: 'Organizations.SetWeight',
      about: "set an organization's part of each proxy's slots for requests, among all organizations",
      arguments: [
        { flags: '<organization>', about: 'id or name', field: 'id', noun: 'organization' },
        { flags: '<weight>', about: '1 to 1000; 100 is usual', field: 'weight' },
      ],
      options: [ifRevision],
      examples: ['organizations set-weight acme 200'],
    },
  },
};
