// The audit log.
import type { Resource } from './command.ts';

export const audit: Resource = {
  name: 'audit',
  about: 'who changed what',
  commands: {
    list: {
      method: 'Audit.List',
      about: 'list changes, newest first; with --platform those of no organization',
      options: [{ flags: '--target <id>', about: 'only of what has this id', field: 'targetId' }],
      columns: {
        ...{
          REVISION: 'revision',
          AT: 'at',
          ACTION: 'action',
          TARGET: 'targetKind',
          'TARGET ID': 'targetId',
        },
        ...{ ACTOR: 'actorKind', 'ACTOR ID': 'actorId', FROM: 'from' },
      },
      notes:
        'What stood before and after, and the hashes that chain the events, are in the answer with --json.',
      examples: ['audit list --limit 20', 'audit list --platform --json'],
    },
  },
};
