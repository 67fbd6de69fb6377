// Provider keys: an organization's credentials for model vendors. The secret comes from a file, standard input or a
// hidden prompt, never from the command line, which other users of the machine can read.
import { isObject, parseJson } from '../../common/json.ts';
import { type Given, type Invocation, isGiven, type Request, type Resource, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { ifRevision, newName, rename, thing } from './shared.ts';

const secretFile: Given = {
  flags: '--secret-file <file>',
  about: 'the secret, - for standard input: a key, or JSON such as {"accessKeyId": …, "secretAccessKey": …}',
};

const noTest: Given = {
  flags: '--no-test',
  about: 'do not try it at its vendor first; without this, a secret that the vendor refuses is not stored',
};

const settings: readonly Given[] = [
  { flags: '--base-url <url>', about: "instead of the platform's; '' clears it", field: 'settings.baseUrl' },
  {
    flags: '--endpoint <name>',
    about: 'the value of {endpoint} in the base URL',
    field: 'settings.endpoint',
  },
  {
    flags: '--region <name>',
    about:
      'of managed-cloud-models the value of {region} in the base URL; of gpt-provider and studio-ai the geography that processes, such as eu',
    field: 'settings.region',
  },
  { flags: '--api-version <version>', about: 'where the vendor has versions', field: 'settings.apiVersion' },
  { flags: '--priority <number>', about: 'lower is tried first; default 0', field: 'priority' },
  {
    flags: '--weight <number>',
    about: 'share among keys of the same priority, 1 to 1000; default 1',
    field: 'weight',
  },
  { flags: '--enabled <true|false>', about: 'false: it is not used', field: 'enabled' },
];

export const providerKeys: Resource = {
  name: 'provider-keys',
  about: "an organization's credentials at model vendors; secrets can be written, never read back",
  commands: {
    create: {
      method: 'ProviderKeys.Create',
      about: 'store a credential; its secret comes from the prompt or from --secret-file',
      arguments: [{ flags: '<provider>', about: 'such as gpt-provider', field: 'provider' }, newName],
      options: [secretFile, ...settings, noTest],
      complete: async (request, invocation) => ({
        ...(await withSecret(request, invocation)),
        test: !isGiven(invocation, noTest.flags),
      }),
      examples: [
        'provider-keys create gpt-provider main',
        'provider-keys create gpt-provider spare --secret-file ./key --no-test',
        'provider-keys create gpt-provider main --secret-file ./key',
        'provider-keys create managed-cloud-models eu --region eu-central-1 --secret-file - < credentials.json',
      ],
    },
    get: {
      method: 'ProviderKeys.Get',
      about: 'show a credential, never its secret',
      arguments: [thing('provider key')],
      examples: ['provider-keys get main'],
    },
    list: {
      method: 'ProviderKeys.List',
      about: 'list credentials',
      columns: {
        NAME: 'name',
        ID: 'id',
        PROVIDER: 'provider',
        HINT: 'hint',
        PRIORITY: 'priority',
        WEIGHT: 'weight',
        ENABLED: 'enabled',
        STATE: 'state',
        SINCE: '?stateAt',
      },
      examples: ['provider-keys list'],
    },
    test: {
      method: 'ProviderKeys.Test',
      about: 'make a free call of the vendor with a stored credential, and show whether it is accepted',
      arguments: [thing('provider key')],
      examples: ['provider-keys test main'],
    },
    update: {
      method: 'ProviderKeys.Update',
      about: 'change a credential; --secret-file replaces the whole secret',
      arguments: [thing('provider key')],
      options: [rename, secretFile, ...settings, ifRevision],
      complete: (request, invocation) =>
        isGiven(invocation, secretFile.flags) ? withSecret(request, invocation) : request,
      examples: ['provider-keys update main --enabled false', 'provider-keys update main --secret-file ./new-key'],
    },
    delete: {
      method: 'ProviderKeys.Delete',
      about: 'delete a credential',
      arguments: [thing('provider key')],
      prompt:
        'Delete the provider key {provider-key}? Requests that need it are refused at once, and its secret is gone.',
      done: 'deleted',
      examples: ['provider-keys delete main --yes'],
    },
  },
};

async function withSecret(request: Request, invocation: Invocation): Promise<Request> {
  const { io } = invocation;
  const file = textOf(invocation, secretFile.flags);
  const text = file === undefined && io.interactive ? await io.askHidden('Secret: ') : await readGiven(file ?? '-', io);
  return { ...request, secret: secretOf(text.trim()) };
}

/** @throws Failure that does not contain the text */
function secretOf(text: string): object {
  if (text === '') throw usageMistake('the secret is empty; give it by --secret-file <file> or on standard input');
  if (!text.startsWith('{')) return { apiKey: text };
  const secret = parseJson(text);
  if (!isObject(secret)) throw usageMistake('the secret starts with { and is not JSON');
  return secret;
}
