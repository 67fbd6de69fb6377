// Custom providers: vendors and model servers that are added by configuration.
import type { Given, Resource } from '../command.ts';
import { ifRevision, newName, thing } from './shared.ts';

const form: readonly Given[] = [
  {
    flags: '--key-form <form>',
    about: 'how the key is sent; default: as the wire format has it',
    field: 'keyForm',
  },
  { flags: '--key-header <name>', about: "a header's name, with --key-form header", field: 'keyHeader' },
  {
    flags: '--pass-field <name>',
    about:
      "a field of the body that is passed to it though the gateway does not know the field; repeat it for more, '*' for all, '' for none",
    field: 'passedFields.fields',
  },
];

export const providers: Resource = {
  name: 'providers',
  about: 'custom providers: vendors and model servers that are added by configuration',
  commands: {
    create: {
      method: 'Providers.Create',
      about: "add a provider; with --platform the platform's, for every organization. --file also takes models",
      arguments: [newName],
      options: [
        {
          flags: '--wire-format <format>',
          about: 'format of its requests and responses',
          field: 'wireFormat',
        },
        {
          flags: '--base-url <url>',
          about: 'https and public, or allowed by the platform',
          field: 'baseUrl',
        },
        ...form,
      ],
      file: true,
      examples: [
        'providers create in-house --wire-format gpt-provider --base-url https://models.example.com/v1',
        'providers create open-models --wire-format responses --base-url https://open.example.com/v1',
        'providers create in-house --file provider.json --platform',
      ],
    },
    get: {
      method: 'Providers.Get',
      about: 'show a provider',
      arguments: [thing('provider')],
      examples: ['providers get in-house'],
    },
    list: {
      method: 'Providers.List',
      about: "list the organization's and the platform's providers",
      columns: {
        NAME: 'name',
        ID: 'id',
        ORGANIZATION: '?organizationId',
        'WIRE FORMAT': 'wireFormat',
        'BASE URL': 'baseUrl',
        KEY: 'keyForm',
      },
      examples: ['providers list', 'providers list --platform'],
    },
    update: {
      method: 'Providers.Update',
      about: 'change a provider; --file also takes models',
      arguments: [thing('provider')],
      options: [{ flags: '--base-url <url>', about: 'another address', field: 'baseUrl' }, ...form, ifRevision],
      file: true,
      examples: ['providers update in-house --base-url https://models.example.com/v2'],
    },
    delete: {
      method: 'Providers.Delete',
      about: 'delete a provider for which no key is stored',
      arguments: [thing('provider')],
      prompt: 'Delete the provider {provider}? Requests to it are refused at once.',
      done: 'deleted',
      examples: ['providers delete in-house --yes'],
    },
  },
};
