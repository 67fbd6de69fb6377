// Settings of an organization.
import type { Resource } from '../command.ts';
import { pairOf } from '../pair.ts';
import { allowedModels, allowUnmatched, ifRevision, rename } from './shared.ts';

/** A model's name never contains an equals sign. */
function modelAlias(text: string): object {
  const [name, model = ''] = pairOf(text) ?? [];
  if (model === '' || model.includes('=')) {
    throw new Error('must be a name and a model, such as fast=gpt-provider/gpt-4o-mini');
  }
  return { name, model };
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
        allowedModels,
        allowUnmatched,
        rename,
        ifRevision,
      ],
      otherwise: { field: 'id' },
      file: true,
      examples: ['settings update --caller-provider-keys true', "settings update --allow 'gpt-provider/*'"],
    },
  },
};
