// The console: a link that signs in there, and its sessions.
import { type Command, type Given, isGiven, type Resource } from '../command.ts';
import { organizationInUse } from '../organization.ts';
import { newName } from './shared.ts';

export const console: Command = {
  method: 'Sessions.CreateLink',
  about: 'print a link that signs you in at the console: once, within ten minutes, on the machine of `npm start`',
  secret: 'url',
  notes: 'Of a gateway with several programs, open the address of the console (GATEWAY_CONSOLE_URL) and sign in there.',
  examples: ['console'],
};

const everybody: Given = {
  flags: '--everybody',
  about: 'sessions of everybody in the organization; for owners and admins',
};

export const sessions: Resource = {
  name: 'sessions',
  about: 'sign-ins at the console',
  commands: {
    list: {
      method: 'Sessions.List',
      about: 'list your sessions, ended ones for a week',
      organization: 'own',
      options: [everybody],
      complete: async (request, invocation) =>
        isGiven(invocation, everybody.flags)
          ? { ...request, organizationId: await organizationInUse(invocation) }
          : request,
      columns: {
        PERSON: 'personName',
        ID: 'id',
        METHOD: 'method',
        SEEN: 'seenAt',
        ENDS: 'endsAt',
        ENDED: '?endedAt',
        ADDRESS: 'address',
      },
      examples: ['sessions list', 'sessions list --everybody'],
    },
    revoke: {
      method: 'Sessions.Revoke',
      about: 'end a session',
      arguments: [{ flags: '<id>', about: 'its id', field: 'id' }],
      prompt: 'End the session {id}? Its browser has to sign in again.',
      examples: ['sessions revoke 01890000-0000-7000-8000-000000000000 --yes'],
    },
    approve: {
      method: 'Sessions.ApproveDevice',
      about: 'approve a device by its code; only with an access token of the console',
      arguments: [{ flags: '<code>', about: 'the code that the device shows', field: 'userCode' }],
      options: [{ flags: '--approve <true|false>', about: 'false refuses it; absent only shows it', field: 'approve' }],
      examples: ['sessions approve WDJB-MJHT --approve true'],
    },
    'approve-program': {
      method: 'Sessions.ApproveProgram',
      about: 'approve a program by its code challenge; only with an access token of the console',
      arguments: [newName],
      options: [{ flags: '--code-challenge <text>', about: 'of method S256', field: 'codeChallenge', required: true }],
      secret: 'code',
      examples: ['sessions approve-program ci --code-challenge E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    },
  },
};
