// Tokens with which an issuer provisions people and groups by SCIM.
import type { Given, Resource } from '../command.ts';
import { newName } from './shared.ts';

const issuer: Given = {
  flags: '--issuer <issuer>',
  about: 'whose, by id or name',
  field: 'issuerId',
  noun: 'issuer',
  required: true,
};

export const scimTokens: Resource = {
  name: 'scim-tokens',
  about: 'tokens with which issuers provision people and groups (SCIM 2.0)',
  commands: {
    create: {
      method: 'ScimTokens.Create',
      about: 'create a token and print it',
      arguments: [newName],
      options: [issuer],
      secret: 'value',
      examples: ['scim-tokens create okta --issuer okta > scim-token'],
    },
    list: {
      method: 'ScimTokens.List',
      about: 'list the tokens of an issuer',
      options: [issuer],
      columns: {
        NAME: 'name',
        ID: 'id',
        HINT: 'hint',
        CREATED: 'createdAt',
        'LAST USED': '?lastUsedAt',
        REVOKED: '?revokedAt',
      },
      examples: ['scim-tokens list --issuer okta'],
    },
    revoke: {
      method: 'ScimTokens.Revoke',
      about: 'revoke a token, for good',
      arguments: [{ flags: '<id>', about: 'its id', field: 'id' }],
      prompt: 'Revoke the token {id}? The issuer provisions nobody with it any more.',
      examples: ['scim-tokens revoke 01890000-0000-7000-8000-000000000000 --yes'],
    },
  },
};
