// Service accounts: machines that exchange tokens of outside issuers for operator tokens of an hour.
import { type Given, type Invocation, isGiven, type Request, type Resource, valuesOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { pairOf } from '../pair.ts';
import { printJson } from '../print-response.ts';
import { exchangedToken, exchangeSource } from '../token-exchange.ts';
import { ifRevision, newName, rename, thing } from './shared.ts';

const trust: Given = {
  flags: '--trust <issuer,audience,claim=value…>',
  about: 'whose tokens fit: issuer, audience and claims with `sub`, a value may end in `*`; may be repeated',
  several: true,
};

const github = 'https://token.actions.githubusercontent.com,model-gateway,sub=repo:acme/app:ref:refs/heads/main';

export const serviceAccounts: Resource = {
  name: 'service-accounts',
  about: 'machines, such as CI and controllers, which call with tokens of an hour',
  commands: {
    create: {
      method: 'ServiceAccounts.Create',
      about: 'add a service account, with the outside tokens that it trusts',
      arguments: [newName],
      options: [{ flags: '--role <role>', about: 'admin or member', field: 'role', required: true }, trust],
      file: true,
      complete: withTrust((rows) => rows),
      examples: [`service-accounts create deploy --role admin --trust ${github}`],
    },
    get: {
      method: 'ServiceAccounts.Get',
      about: 'show a service account',
      arguments: [thing('service account')],
      examples: ['service-accounts get deploy'],
    },
    list: {
      method: 'ServiceAccounts.List',
      about: 'list service accounts',
      columns: {
        NAME: 'name',
        ID: 'id',
        ROLE: 'role',
        ACTIVE: 'active',
        CREATED: 'createdAt',
        'LAST EXCHANGE': '?lastExchangeAt',
      },
      examples: ['service-accounts list'],
    },
    update: {
      method: 'ServiceAccounts.Update',
      about: 'change a service account; --trust replaces all rows, and tokens end with their row',
      arguments: [thing('service account')],
      options: [
        rename,
        { flags: '--role <role>', about: 'admin or member', field: 'role' },
        {
          flags: '--active <true|false>',
          about: 'false: it gets no token, and its tokens and keys stop',
          field: 'active',
        },
        trust,
        ifRevision,
      ],
      file: true,
      complete: withTrust((rows) => ({ rows })),
      examples: ['service-accounts update deploy --active false', `service-accounts update deploy --trust ${github}`],
    },
    delete: {
      method: 'ServiceAccounts.Delete',
      about: 'delete a service account; ends its tokens and revokes its keys',
      arguments: [thing('service account')],
      prompt: 'Delete the service account {service-account}? Its tokens and keys stop at once.',
      done: 'deleted',
      examples: ['service-accounts delete deploy --yes'],
    },
    token: {
      about: 'exchange an outside token and print the operator token, for programs other than this one',
      run: async (invocation) => {
        const { options, io } = invocation;
        const source = exchangeSource(options, io.env);
        if (source === undefined) throw usageMistake('give --service-account and --token-exchange');
        const { target } = await invocation.session();
        const accessToken = (target.token ?? (await exchangedToken(source, target, io))).reveal();
        if (options.json) await printJson({ accessToken }, invocation);
        else await io.out(`${accessToken}\n`);
      },
      examples: [
        'service-accounts token --service-account 01890000-0000-7000-8000-000000000000 --token-exchange /var/run/secrets/gateway/token',
      ],
    },
  },
};

function withTrust(fieldOf: (rows: readonly object[]) => unknown) {
  return (request: Request, invocation: Invocation): Request =>
    isGiven(invocation, trust.flags)
      ? { ...request, trust: fieldOf(valuesOf(invocation, trust).map(trustRow)) }
      : request;
}

/** @throws Failure that names the accepted form */
function trustRow(text: string): object {
  const [issuer = '', audience = '', ...pairs] = text.split(',');
  const claims = pairs.map((pair) => {
    const [claim, value] = pairOf(pair) ?? [];
    return claim === undefined || value === undefined ? undefined : { claim, value };
  });
  if (claims.length > 0 && !claims.includes(undefined)) return { issuer, audience, claims };
  throw usageMistake(`--trust must be issuer,audience,sub=value, not "${text}"; values with commas go into --file`);
}
