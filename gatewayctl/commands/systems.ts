// AI systems: the applications of an organization.
import type { Resource } from '../command.ts';
import { allowedModels, allowUnmatched, ifRevision, newName, rename, thing } from './shared.ts';

export const systems: Resource = {
  name: 'systems',
  aliases: ['ai-systems'],
  about: 'AI systems: the applications of an organization, which keys can belong to',
  commands: {
    create: {
      method: 'AiSystems.Create',
      about: 'add an AI system',
      arguments: [newName],
      options: [allowedModels, allowUnmatched],
      file: true,
      examples: ["systems create shop --allow 'gpt-provider/*'"],
    },
    get: {
      method: 'AiSystems.Get',
      about: 'show an AI system',
      arguments: [thing('system')],
      examples: ['systems get shop'],
    },
    list: {
      method: 'AiSystems.List',
      about: 'list AI systems',
      columns: { NAME: 'name', ID: 'id', ACTIVE: 'active', ALLOWED: '?allowedModels', CREATED: 'createdAt' },
      examples: ['systems list'],
    },
    update: {
      method: 'AiSystems.Update',
      about: 'change an AI system',
      arguments: [thing('system')],
      options: [
        rename,
        { flags: '--active <true|false>', about: 'false refuses all its keys', field: 'active' },
        allowedModels,
        allowUnmatched,
        ifRevision,
      ],
      file: true,
      examples: ['systems update shop --active false'],
    },
    delete: {
      method: 'AiSystems.Delete',
      about: 'delete an AI system; revokes its keys',
      arguments: [thing('system')],
      prompt: 'Delete the AI system {system}? Its keys are revoked at once, for good.',
      done: 'deleted',
      examples: ['systems delete shop --yes'],
    },
  },
};
