// The ledger of budgets: their windows, and unconfirmed money.
import type { Resource } from '../command.ts';
import { budgetOptions, limitsOrganization } from './limits.ts';
import { limitOption, ofKey, ofPerson, ofProviderKey, ofSystem, tagOf } from './shared.ts';

export const budgets: Resource = {
  name: 'budgets',
  about: 'windows of budgets in the ledger; the budgets are limits',
  commands: {
    create: {
      method: 'Limits.Create',
      about: 'create a budget, as limits create budget does; with --platform of what all organizations spend',
      organization: 'or platform',
      options: budgetOptions,
      otherwise: limitsOrganization,
      complete: (request) => ({ ...request, kind: 'LIMIT_KIND_BUDGET' }),
      examples: [
        'budgets create --usd 250 --period month --system shop',
        'budgets create --usd 20 --period month --each person',
        'budgets create --usd 2000 --period month --provider-key main',
        'budgets create --usd 50000 --period month --platform',
      ],
    },
    list: {
      method: 'Budgets.ListWindows',
      about: 'list budgets with the money of their current windows, and what they will have spent at the end',
      options: [limitOption],
      organization: 'or platform',
      complete: (request) => ({ ...request, forecast: true }),
      columns: {
        BUDGET: 'limitId',
        NAME: '?limitName',
        WINDOW: 'window',
        'AMOUNT USD': 'amountUsd',
        SPENT: 'spentUsd',
        FREE: 'freeUsd',
        RAISED: '?raisedUsd',
        COUNTERS: '?counters',
        HIGHEST: '?counter',
        'HIGHEST NAME': '?counterName',
        SOFT: '?soft',
        FORECAST: '?forecastUsd',
        'FORECAST FROM': '?forecastBasis',
        ENDS: '?endsAt',
      },
      notes:
        'The forecast is the spent money and the recorded usage of the same hours a day ago (windows of a day) or a week ago (longer ones), or the mean if there is no usage from then; of budgets that count a tag, each value, a part of the traffic, the platform or a route, their own rate.',
      examples: ['budgets list', 'budgets list --all', 'budgets list --platform'],
    },
    windows: {
      method: 'Budgets.ListWindows',
      about: 'list windows of budgets with the money spent and free, newest first; with --budget those of each value',
      organization: 'or platform',
      options: [limitOption, { flags: '--include-past', about: 'past windows as well', field: 'includePast' }],
      columns: {
        BUDGET: 'limitId',
        COUNTER: '?counter',
        'COUNTER NAME': '?counterName',
        NAME: '?limitName',
        WINDOW: 'window',
        'AMOUNT USD': 'amountUsd',
        SPENT: 'spentUsd',
        LEASED: 'leasedUsd',
        UNSETTLED: 'unsettledUsd',
        FREE: 'freeUsd',
        ENDS: '?endsAt',
      },
      examples: [
        'budgets windows --budget 01890000-0000-7000-8000-000000000000',
        'budgets windows',
        'budgets windows --include-past --all',
      ],
    },
    reset: {
      method: 'Budgets.Reset',
      about: 'let the spent money of the current window count from zero again; recorded usage stays',
      arguments: [
        {
          flags: '<budget>',
          about: 'id of its limit, or the name of the subject that has no other',
          field: 'limitId',
          noun: 'budget',
        },
      ],
      options: [
        { flags: '--reason <text>', about: 'why, for the audit log', field: 'reason', required: true },
        { flags: '--counter <value>', about: 'of a budget for each value: whose', field: 'counter' },
      ],
      prompt: 'Reset the spent money of {budget}? Its whole amount can be spent again in this window.',
      examples: ["budgets reset checkout --reason 'a test ran away' --yes"],
    },
    explain: {
      method: 'Budgets.Explain',
      about: 'show which budgets bind the requests of a key and what is left of each, the tightest first',
      arguments: [
        {
          ...ofKey,
          flags: '[key]',
          about: 'id or name of the key; without one the subject of an option, else the organization',
        },
      ],
      options: [
        ofSystem,
        ofPerson,
        { ...ofProviderKey, about: 'of this provider key' },
        { flags: '--model <model>', about: 'only budgets that count this model', field: 'model' },
        {
          flags: '--tag <name=value>',
          about: 'of a request with this tag, such as user=u-17; repeat it for more',
          field: 'tags',
          read: tagOf,
        },
      ],
      complete: (request) => ({ ...request, forecast: true }),
      otherwise: { field: 'subject.id', beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_ORGANIZATION' } },
      columns: {
        BUDGET: 'limit.id',
        OF: 'limit.subject.kind',
        MODEL: '?limit.model',
        EACH: '?limit.each',
        TRAFFIC: '?limit.traffic',
        COUNTER: '?window.counter',
        SOFT: '?limit.soft',
        WINDOW: 'window.window',
        'AMOUNT USD': 'window.amountUsd',
        SPENT: 'window.spentUsd',
        LEASED: 'window.leasedUsd',
        UNSETTLED: 'window.unsettledUsd',
        FREE: 'window.freeUsd',
        LEFT: 'leftUsd',
        TIGHTEST: 'tightest',
        FORECAST: '?window.forecastUsd',
        ENDS: '?window.endsAt',
      },
      examples: [
        'budgets explain checkout',
        'budgets explain checkout --tag user=u-17',
        'budgets explain --system shop --model gpt-provider/gpt-4o',
        'budgets explain --provider-key main',
      ],
    },
  },
};

export const unconfirmed: Resource = {
  name: 'unsettled',
  about: 'unconfirmed money: leases of proxies that fell silent',
  commands: {
    list: {
      method: 'Budgets.ListUnsettled',
      about: 'list money that counts as spent until it is reported or released',
      organization: 'or platform',
      options: [limitOption],
      columns: {
        BUDGET: 'limitId',
        NAME: '?limitName',
        WINDOW: 'window',
        SESSION: 'session',
        PROXY: 'proxy',
        USD: 'amountUsd',
        SEEN: 'seenAt',
      },
      examples: ['unsettled list'],
    },
    release: {
      method: 'Budgets.Release',
      about: 'release money to the budget that will not be reported any more',
      arguments: [
        { flags: '<budget>', about: 'id of its limit', field: 'limitId' },
        { flags: '<window>', about: 'as the list shows it', field: 'window' },
        { flags: '<session>', about: 'as the list shows it', field: 'session' },
      ],
      options: [{ flags: '--usd <amount>', about: 'so much of it; default: all', field: 'amountUsd' }],
      prompt:
        'Release the unconfirmed money of {budget} in the session {session}? If it was spent without a report, it can be spent again.',
      examples: [
        'unsettled release 01890000-0000-7000-8000-000000000000 2026-11-01 01890000-0000-7000-8000-000000000001 --usd 1.5 --yes',
      ],
    },
  },
};
