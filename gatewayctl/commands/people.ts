// People: members of an organization, and operators of the platform, who belong to none.
import type { Resource } from '../command.ts';
import { allowedModels, allowUnmatched, ifRevision, newName, rename, thing } from './shared.ts';

export const people: Resource = {
  name: 'people',
  about: 'members of an organization, and operators of the platform',
  commands: {
    create: {
      method: 'People.Create',
      about: 'add a person; with --platform an operator of the platform',
      arguments: [newName],
      options: [
        { flags: '--role <role>', about: 'what they may do', field: 'role', required: true },
        { flags: '--email <address>', about: 'email address', field: 'email' },
        allowedModels,
        allowUnmatched,
      ],
      file: true,
      examples: [
        'people create "Ada Admin" --role admin --email ada@example.com',
        'people create "Peter Platform" --role platform-operator --platform',
      ],
    },
    get: {
      method: 'People.Get',
      about: 'show a person',
      arguments: [thing('person')],
      examples: ['people get "Ada Admin"'],
    },
    list: {
      method: 'People.List',
      about: 'list the people of an organization; with --platform the operators of the platform',
      columns: {
        NAME: 'name',
        ID: 'id',
        ROLE: 'role',
        ACTIVE: 'active',
        EMAIL: '?email',
        CREATED: 'createdAt',
      },
      examples: ['people list', 'people list --platform'],
    },
    update: {
      method: 'People.Update',
      about: 'change a person',
      arguments: [thing('person')],
      options: [
        rename,
        { flags: '--role <role>', about: 'another role', field: 'role' },
        { flags: '--email <address>', about: "another email address; '' clears it", field: 'email' },
        { flags: '--active <true|false>', about: 'false stops their keys and tokens', field: 'active' },
        allowedModels,
        allowUnmatched,
        ifRevision,
      ],
      file: true,
      examples: ['people update "Ada Admin" --role member', 'people update "Ada Admin" --active false'],
    },
    delete: {
      method: 'People.Delete',
      about: 'delete a person; revokes their keys and tokens',
      arguments: [thing('person')],
      prompt: 'Delete {person}? Their keys and tokens are revoked at once.',
      done: 'deleted',
      examples: ['people delete "Ada Admin" --yes'],
    },
    identities: {
      method: 'SignIn.ListIdentities',
      about: 'list who a person is at issuers',
      arguments: [{ ...thing('person'), field: 'personId' }],
      columns: { ISSUER: 'issuerName', SUBJECT: 'subject', ID: 'id', CREATED: 'createdAt' },
      examples: ['people identities "Ada Admin"'],
    },
    'delete-identity': {
      method: 'SignIn.DeleteIdentity',
      about: 'delete who a person is at one issuer; its sessions end and the person stays',
      arguments: [{ flags: '<id>', about: 'its id, from people identities', field: 'id' }],
      prompt: 'Delete the identity {id}? Its sessions end, and it needs an invitation or a vouched address again.',
      examples: ['people delete-identity 01890000-0000-7000-8000-000000000000 --yes'],
    },
  },
};
