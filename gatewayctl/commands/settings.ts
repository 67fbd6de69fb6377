// Settings of an organization.
import type { Request, Resource } from '../command.ts';
import { pairOf } from '../pair.ts';
import { getField, setField } from '../request.ts';
import { allowedModels, allowUnmatched, ifRevision, rename } from './shared.ts';

/** A model's name never contains an equals sign. */
function modelAlias(text: string): object {
  const [name, model = ''] = pairOf(text) ?? [];
  if (model === '' || model.includes('=')) {
    throw new Error('must be a name and a model, such as fast=gpt-provider/gpt-4o-mini');
  }
  return { name, model };
}

const tagsPath = 'settings.tags.names.names';

/** Names of tags have no commas. */
function withSplitNames(request: Request): Request {
  const names = getField(request, tagsPath);
  if (!Array.isArray(names)) return request;
  setField(
    request,
    tagsPath,
    names.flatMap((text) => (typeof text === 'string' ? text.split(',').map((name) => name.trim()) : text)),
  );
  return request;
}

export const settings: Resource = {
  name: 'settings',
  about: 'settings of an organization',
  commands: {
    get: {
      method: 'Organizations.Get',
      about: 'show the settings of the organization in use',
      otherwise: { field: 'id' },
      examples: ['settings get --organization acme'],
    },
    update: {
      method: 'Organizations.UpdateSettings',
      about: 'change settings of the organization in use',
      options: [
        {
          flags: '--caller-provider-keys <true|false>',
          about: 'whether callers may send their own provider key',
          field: 'settings.access.callerProviderKeys',
        },
        {
          flags: '--hang-up <cancel|read>',
          about:
            'what happens to a stream whose caller leaves: cancelled and counted at providers that stop then (default), or read to its end and paid for, with an exact ledger',
          field: 'settings.cost.hangUp',
        },
        {
          flags: '--unknown-cost <hold|text>',
          about:
            'what is charged where no provider reported the usage: the most that the request could cost (default), or the text that was received, which lets callers spend more than their budgets',
          field: 'settings.cost.unknownCost',
        },
        {
          flags: '--model-alias <name=model>',
          about:
            "a name of your own for a model, such as fast=gpt-provider/gpt-4o-mini; repeat it for more, '' removes all",
          field: 'settings.models.aliases.aliases',
          read: modelAlias,
        },
        {
          flags: '--own-tools-egress <true|false>',
          about:
            "whether tools pass that vendors run and that reach other hosts, such as web search, with a stored provider key, to the vendor of the client's own format; default: false",
          field: 'settings.ownTools.egress',
        },
        {
          flags: '--own-tools-execution <true|false>',
          about: 'the same for tools that run code at the vendor; default: false',
          field: 'settings.ownTools.execution',
        },
        {
          flags: '--stored-responses <true|false>',
          about: 'whether a vendor may store responses for callers of the Responses API; default: true',
          field: 'settings.responses.stored',
        },
        {
          flags: '--background-responses <true|false>',
          about:
            'whether callers of the Responses API may send background: true at gpt-provider, for responses that are stored; the whole reservation is in use until the response is over; default: false',
          field: 'settings.responses.background',
        },
        {
          flags: '--safety-identifier <true|false>',
          about:
            'whether requests of the Responses API without safety_identifier get a hash of the organization and the scope of their key; default: false',
          field: 'settings.responses.safetyIdentifier',
        },
        {
          flags: '--priced-options <true|false>',
          about:
            "whether requests with a stored provider key may have options that cost more than the model's usual price, such as service_tier: priority, speed: fast or inference_geo; default: true",
          field: 'settings.pricedOptions.allowed',
        },
        {
          flags: '--request-retention <days>',
          about: 'how many days rows of requests are kept, 0 to 400; 0: no request is recorded; default: 30',
          field: 'settings.requests.retentionDays',
        },
        {
          flags: '--tags <names>',
          about:
            "names of tags by which usage is summed besides keys, at most 8, with commas, such as feature,cost-center,user: requests have them in headers x-svc-tag-<name> or in their own metadata; '' removes all",
          field: tagsPath,
        },
        allowedModels,
        allowUnmatched,
        rename,
        ifRevision,
      ],
      otherwise: { field: 'id' },
      file: true,
      complete: withSplitNames,
      examples: [
        'settings update --caller-provider-keys true',
        "settings update --allow 'gpt-provider/*'",
        'settings update --tags feature,cost-center,user',
      ],
    },
    'rotate-record-key': {
      method: 'Organizations.RotateRecordKey',
      about:
        'make a new generation of the record key, which seals the ids of stored responses; the one before opens for 90 days more, and until then the key cannot be rotated again',
      prompt: 'Rotate the record key? What it sealed opens for 90 days more.',
      otherwise: { field: 'id' },
      examples: ['settings rotate-record-key --yes'],
    },
  },
};
