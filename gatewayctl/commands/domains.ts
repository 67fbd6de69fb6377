// E-mail domains, and what else leads an organization's people to their sign-in page.
import { type Given, isGiven, type Resource, valuesOf } from '../command.ts';
import { thing } from './shared.ts';

const minutes = (flags: string, about: string, field: string): Given => ({
  flags,
  about,
  field,
  read: (text) => {
    if (/^\d{1,5}$/.test(text)) return Number(text);
    throw new Error('must be a whole number of minutes');
  },
});

const platformIssuer: Given = {
  flags: '--platform-issuer <id>',
  about: "an issuer of the platform that signs in the organization's people; replaces the list, '' empties it",
  several: true,
};

export const domains: Resource = {
  name: 'domains',
  about: "e-mail domains by which people find the organization's issuers",
  commands: {
    add: {
      method: 'SignIn.AddDomain',
      about: 'claim a domain and show the TXT record that proves it',
      arguments: [{ flags: '<domain>', about: 'such as example.com', field: 'domain' }],
      examples: ['domains add example.com'],
    },
    list: {
      method: 'SignIn.ListDomains',
      about: 'list domains with their records',
      columns: { DOMAIN: 'domain', STATE: 'state', RECORD: 'recordName', VALUE: 'recordValue', CHECKED: '?checkedAt' },
      examples: ['domains list'],
    },
    check: {
      method: 'SignIn.CheckDomain',
      about: 'read the TXT record of a domain now',
      arguments: [thing('domain')],
      options: [{ flags: '--vouch', about: 'verify it without a record; for platform operators', field: 'vouch' }],
      examples: ['domains check example.com', 'domains check example.com --vouch'],
    },
    delete: {
      method: 'SignIn.DeleteDomain',
      about: 'give up a domain',
      arguments: [thing('domain')],
      prompt: 'Remove the domain {domain}? People with such an address no longer find the issuers by it.',
      done: 'deleted',
      examples: ['domains delete example.com --yes'],
    },
  },
};

export const signIn: Resource = {
  name: 'sign-in',
  about: 'the address of the sign-in page, and how long people stay signed in at the console',
  commands: {
    get: {
      method: 'SignIn.GetSettings',
      about: 'show the settings',
      examples: ['sign-in get'],
    },
    update: {
      method: 'SignIn.UpdateSettings',
      about: 'change the settings',
      options: [
        { flags: '--slug <text>', about: 'the sign-in page is at <console>o/<slug>', field: 'slug' },
        minutes(
          '--idle-minutes <number>',
          'an unused session ends after so long; 0: as the platform has it',
          'idleMinutes',
        ),
        minutes(
          '--session-minutes <number>',
          'any session ends after so long; 0: as the platform has it',
          'sessionMinutes',
        ),
        platformIssuer,
      ],
      complete: (request, invocation) => {
        const ids = valuesOf(invocation, platformIssuer).filter((id) => id !== '');
        return isGiven(invocation, platformIssuer.flags) ? { ...request, platformIssuerIds: { ids } } : request;
      },
      examples: ['sign-in update --slug acme', 'sign-in update --idle-minutes 15 --session-minutes 480'],
    },
  },
};
