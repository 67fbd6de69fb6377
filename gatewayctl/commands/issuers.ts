// Issuers, at which people of the organization sign in to the console. The secret comes from a file, standard input or a
// hidden prompt, never from the command line, which other users of the machine can read.
import { type Given, type Invocation, isGiven, type Request, type Resource, textOf, valuesOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { ifRevision, newName, rename, thing } from './shared.ts';

const secretFile: Given = {
  flags: '--secret-file <file>',
  about: 'the secret of the client, - for standard input; without it the client is public',
};
const keyFile: Given = {
  flags: '--private-key-file <file>',
  about: 'in place of a secret: a private key in PEM (private_key_jwt), - for standard input',
};
const keyOptions: readonly Given[] = [
  keyFile,
  { flags: '--private-key-id <id>', about: 'the id of the key there', field: 'privateKeyId' },
  {
    flags: '--trust-email <true|false>',
    about: 'its addresses count without email_verified, in verified domains',
    field: 'trustEmail',
  },
];
const roleOption: Given = {
  flags: '--role <claim=value:role>',
  about: 'a claim that gives admin or member; in order, may be repeated',
  several: true,
};
const unknown: Given = {
  flags: '--unknown-person <rule>',
  about: 'refuse, or member: for those to whom no claim gives a role; default refuse',
  field: 'unknownPerson',
};

export const issuers: Resource = {
  name: 'issuers',
  about: 'OpenID Connect issuers, at which people of the organization sign in to the console',
  commands: {
    create: {
      method: 'SignIn.CreateIssuer',
      about: 'add an issuer; register <console>auth/callback/<id> there as the redirect URI',
      organization: 'or platform',
      arguments: [newName],
      options: [
        { flags: '--url <url>', about: 'its URL, without /.well-known', field: 'url', required: true },
        { flags: '--client-id <id>', about: 'the id of the client there', field: 'clientId', required: true },
        secretFile,
        ...keyOptions,
        roleOption,
        unknown,
      ],
      complete: async (request, invocation) => ({
        ...(await withSecret(request, invocation)),
        roles: rolesOf(invocation),
      }),
      examples: [
        'issuers create okta --url https://acme.okta.com --client-id gateway --secret-file ./secret --role groups=gateway-admins:admin',
      ],
    },
    get: {
      method: 'SignIn.GetIssuer',
      about: 'show an issuer, never its secret',
      arguments: [thing('issuer')],
      examples: ['issuers get okta'],
    },
    list: {
      method: 'SignIn.ListIssuers',
      about: 'list issuers',
      organization: 'or platform',
      columns: { NAME: 'name', ID: 'id', URL: 'url', CLIENT: 'clientId', ENABLED: 'enabled' },
      examples: ['issuers list', 'issuers list --platform'],
    },
    update: {
      method: 'SignIn.UpdateIssuer',
      about: 'change an issuer; --role replaces all of its roles; a disabled one signs nobody in and its sessions end',
      arguments: [thing('issuer')],
      options: [
        rename,
        { flags: '--client-id <id>', about: 'another client there', field: 'clientId' },
        secretFile,
        ...keyOptions,
        roleOption,
        unknown,
        { flags: '--enabled <true|false>', about: 'false: it signs nobody in', field: 'enabled' },
        ifRevision,
      ],
      complete: async (request, invocation) => ({
        ...(await withSecret(request, invocation)),
        ...(isGiven(invocation, roleOption.flags) && { roles: { rows: rolesOf(invocation) } }),
      }),
      examples: ['issuers update okta --unknown-person member', 'issuers update okta --enabled false'],
    },
    delete: {
      method: 'SignIn.DeleteIssuer',
      about: 'delete an issuer with the identities that people have there; the people stay',
      arguments: [thing('issuer')],
      prompt: 'Delete the issuer {issuer}? Its sessions end, and nobody signs in there any more.',
      examples: ['issuers delete okta --yes'],
    },
  },
};

async function withSecret(request: Request, invocation: Invocation): Promise<Request> {
  const secret = await textOfFile(invocation, secretFile);
  const privateKey = await textOfFile(invocation, keyFile);
  return { ...request, ...(secret !== undefined && { secret }), ...(privateKey !== undefined && { privateKey }) };
}

async function textOfFile(invocation: Invocation, { flags }: Given): Promise<string | undefined> {
  const file = textOf(invocation, flags);
  return file === undefined ? undefined : (await readGiven(file, invocation.io)).trim();
}

/** @throws Failure that names the accepted form */
function rolesOf(invocation: Invocation): readonly object[] {
  return valuesOf(invocation, roleOption).map((text) => {
    const [, claim, value, role] = /^([^=]+)=(.+):(admin|member)$/.exec(text) ?? [];
    if (claim === undefined) throw usageMistake(`--role must be claim=value:admin or claim=value:member, not ${text}`);
    return { claim, value, role: role === 'admin' ? 'ROLE_ADMIN' : 'ROLE_MEMBER' };
  });
}
