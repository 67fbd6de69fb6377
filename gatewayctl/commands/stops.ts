// Stops: switches that refuse requests at once, at every proxy.
import type { Given, Resource } from '../command.ts';
import { allowUnmatched, fromNow, time } from './shared.ts';

const id: Given = { flags: '<id>', about: 'its id', field: 'id' };

const forSoLong: Given = {
  flags: '--for <duration>',
  about: 'for so long from now, such as 2h; default: until it is lifted',
  field: 'endsAt',
  read: fromNow,
};

export const stops: Resource = {
  name: 'stops',
  about: 'kill switches: a provider, models or direct keys are refused at every proxy at once',
  commands: {
    create: {
      method: 'Stops.Create',
      about:
        "stop a provider, models or direct keys for the organization; with --platform for every organization. Nobody's settings change, and requests in flight run on",
      options: [
        { flags: '--provider <provider>', about: 'all models of this provider', field: 'target.provider' },
        {
          flags: '--model <glob>',
          about: 'a glob over <provider>/<model>; with --provider a model of it, or a glob over its models',
          field: 'target.model',
        },
        { flags: '--direct-keys', about: 'requests with a provider key of their caller', field: 'target.directKeys' },
        {
          flags: '--reason <text>',
          about: 'for callers, who get it with the refusal',
          field: 'reason',
          required: true,
        },
        forSoLong,
        { flags: '--ends-at <time>', about: 'until then, a date or RFC 3339', field: 'endsAt', read: time },
        allowUnmatched,
      ],
      examples: [
        'stops create --provider gpt-provider --reason "incident 4711" --for 2h',
        'stops create --model "*/gpt-4o*" --reason "costs too much; use gpt-4.1" --platform',
        'stops create --direct-keys --reason "a key was stolen"',
      ],
    },
    get: {
      method: 'Stops.Get',
      about: 'show a stop',
      arguments: [id],
      examples: ['stops get 01890000-0000-7000-8000-000000000000'],
    },
    list: {
      method: 'Stops.List',
      about: "list the organization's and the platform's stops; ended ones for a week",
      columns: {
        ID: 'id',
        ORGANIZATION: '?organizationId',
        PROVIDER: '?target.provider',
        MODEL: '?target.model',
        'DIRECT KEYS': '?target.directKeys',
        REASON: 'reason',
        BY: '?createdByName',
        SINCE: 'createdAt',
        ENDS: '?endsAt',
        ENDED: 'ended',
      },
      examples: ['stops list', 'stops list --platform'],
    },
    delete: {
      method: 'Stops.Delete',
      about: 'lift a stop',
      arguments: [id],
      prompt: 'Lift the stop {id}? Requests that it refuses pass at once.',
      done: 'lifted',
      examples: ['stops delete 01890000-0000-7000-8000-000000000000 --yes'],
    },
  },
};
