// Credentials of operators and proxies.
import type { Given, Resource } from '../command.ts';
import { newName, thing } from './shared.ts';

const person: Given = {
  flags: '--person <person>',
  about: 'whose, by id or name; me is you',
  field: 'personId',
  noun: 'person',
  required: true,
};

export const operatorTokens: Resource = {
  name: 'operator-tokens',
  about: 'tokens of operators, which this program logs in with',
  commands: {
    create: {
      method: 'OperatorTokens.Create',
      about: 'create a token and print it',
      arguments: [newName],
      options: [person, { flags: '--days <number>', about: 'how long it works, 1 to 90; default 90', field: 'days' }],
      secret: 'value',
      examples: ['operator-tokens create laptop --person "Ada Admin" --days 30 > token'],
    },
    list: {
      method: 'OperatorTokens.List',
      about: 'list the tokens of a person',
      options: [person],
      columns: {
        NAME: 'name',
        ID: 'id',
        HINT: 'hint',
        CREATED: 'createdAt',
        ENDS: 'endsAt',
        REVOKED: '?revokedAt',
      },
      examples: ['operator-tokens list --person "Ada Admin"'],
    },
    revoke: {
      method: 'OperatorTokens.Revoke',
      about: 'revoke a token, for good',
      arguments: [{ flags: '<id>', about: 'its id', field: 'id' }],
      prompt: 'Revoke the token {id}? Calls with it are refused at once.',
      examples: ['operator-tokens revoke 01890000-0000-7000-8000-000000000000 --yes'],
    },
  },
};

export const proxyTokens: Resource = {
  name: 'proxy-tokens',
  about: 'tokens of proxies; for operators of the platform',
  commands: {
    create: {
      method: 'ProxyTokens.Create',
      about: 'create a token and print it',
      arguments: [newName],
      options: [
        {
          flags: '--bound-to <organization>',
          about: 'a token that sees this organization only',
          field: 'organizationId',
          noun: 'organization',
        },
      ],
      organization: 'own',
      secret: 'value',
      examples: ['proxy-tokens create egress > proxy-token', 'proxy-tokens create sidecar --bound-to acme'],
    },
    list: {
      method: 'ProxyTokens.List',
      about: 'list tokens of proxies',
      columns: {
        NAME: 'name',
        ID: 'id',
        HINT: 'hint',
        'BOUND TO': '?organizationName',
        'ORGANIZATION ID': '?organizationId',
        CREATED: 'createdAt',
        REVOKED: '?revokedAt',
      },
      examples: ['proxy-tokens list'],
    },
    revoke: {
      method: 'ProxyTokens.Revoke',
      about: 'revoke a token, for good',
      arguments: [thing('proxy token')],
      prompt: 'Revoke the token {proxy-token}? The proxies that use it get nothing from the control plane any more.',
      examples: ['proxy-tokens revoke egress --yes'],
    },
  },
};
