// Limits: how much an organization, an AI system, a person, a key or a provider key may use.
import type { Given, Resource } from '../command.ts';
import {
  allowUnmatched,
  fromNow,
  ifRevision,
  ofKey,
  ofPerson,
  ofProviderKey,
  ofSystem,
  tagOf,
  time,
} from './shared.ts';

const subjects: readonly Given[] = [ofSystem, ofPerson, ofKey, ofProviderKey];

const id: Given = { flags: '<id>', about: 'its id', field: 'id' };
const budget: Given = { ...id, about: 'its id, or the name of the subject that has no other budget', noun: 'budget' };
const count: Given = { flags: '--count <number>', about: 'how many, of the other kinds', field: 'count' };
const amount: Given = {
  flags: '--usd <amount>',
  about: "a budget's amount in USD, such as 250 or 0.5",
  field: 'amountUsd',
};

/** When the windows of a budget begin. */
const starts: readonly Given[] = [
  {
    flags: '--time-zone <zone>',
    about: 'of a budget: its windows begin by the clocks of this time zone, such as Europe/Berlin',
    field: 'timeZone',
  },
  {
    flags: '--start-hour <hour>',
    about: 'of a budget: its windows begin at this hour, 0 to 23',
    field: 'startsOn.hour',
  },
  { flags: '--start-weekday <day>', about: 'of a weekly budget: 1, Monday, to 7', field: 'startsOn.weekday' },
  {
    flags: '--start-day <day>',
    about: 'of a monthly or quarterly budget: the day of the month, 1 to 28',
    field: 'startsOn.dayOfMonth',
  },
  {
    flags: '--start-month <month>',
    about: 'of a quarterly budget: the first month of a year in which a quarter begins, 1 to 3',
    field: 'startsOn.month',
  },
];

/** Which requests count, and in how many counters. */
const counting: readonly Given[] = [
  {
    flags: '--tag <name=value>',
    about: 'count only requests with this tag, such as feature=search',
    field: 'tag',
    read: tagOf,
  },
  {
    flags: '--each <key|person|system|tag:name>',
    about:
      'a counter or a budget for each virtual key of the subject, for each person or AI system of the organization, later ones too, or for each value of a tag, such as tag:user',
    field: 'each',
  },
  {
    flags: '--traffic <all|stored|direct>',
    about: "count only requests with stored provider keys, or only those with callers' own",
    field: 'traffic',
  },
];

const required: Given = {
  flags: '--required <true|false>',
  about: 'of a limit for each value of a tag: refuse requests without the tag, which it would not count',
  field: 'required',
};

/** Of a budget alone. */
const terms: readonly Given[] = [
  { flags: '--soft <true|false>', about: 'of a budget: it counts and notifies, but refuses nothing', field: 'soft' },
  {
    flags: '--threshold <percent>',
    about:
      "of a budget: a part of its amount that is reported, usually 50, 80 and 100; repeat it for more, '' for none",
    field: 'thresholds.percents',
  },
];

const period: Given = {
  flags: '--period <period>',
  about: 'of a budget: when it starts anew, in UTC unless it has a time zone',
  field: 'period',
};

const models: Given = {
  flags: '--model <glob>',
  about: "only for these models, a glob over <provider>/<model>; of a budget also shadow/<route>, for a route's shadow",
  field: 'model',
};

/** Of a new budget. */
export const budgetOptions: readonly Given[] = [
  ...[amount, period, models, allowUnmatched],
  ...counting,
  required,
  ...starts,
  ...terms,
  ...subjects,
];

/** Without another subject, what is created limits the organization. */
export const limitsOrganization = {
  field: 'subject.id',
  beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_ORGANIZATION' },
} as const;

export const limits: Resource = {
  name: 'limits',
  about: 'how much an organization, an AI system, a person, a key or a provider key may use',
  commands: {
    create: {
      method: 'Limits.Create',
      about:
        'limit the organization, or the subject that an option names; with --platform what all organizations spend',
      organization: 'or platform',
      arguments: [{ flags: '<kind>', about: 'kind of the limit', field: 'kind' }],
      options: [...budgetOptions, count],
      otherwise: limitsOrganization,
      file: true,
      examples: [
        'limits create budget --usd 250 --period month',
        'limits create budget --usd 20 --period day --time-zone America/New_York --start-hour 6',
        'limits create requests-per-minute --count 60 --system shop',
        'limits create budget --usd 5 --period month --each tag:user --required true',
        'limits create budget --usd 50 --period total --system shop --each key',
        'limits create requests-per-minute --count 60 --each person',
        'limits create budget --usd 200 --period week --tag feature=search',
        'limits create budget --usd 2000 --period month --provider-key main',
        'limits create budget --usd 100 --period month --traffic stored',
        'limits create budget --usd 50000 --period month --platform',
        "limits create tokens-per-minute --count 100000 --key checkout --model 'gpt-provider/*'",
      ],
    },
    get: {
      method: 'Limits.Get',
      about: 'show a limit',
      arguments: [id],
      examples: ['limits get 01890000-0000-7000-8000-000000000000'],
    },
    list: {
      method: 'Limits.List',
      about: "list limits; with --platform the platform's",
      organization: 'or platform',
      options: subjects,
      columns: {
        ID: 'id',
        KIND: 'kind',
        OF: 'subject.kind',
        NAME: '?subjectName',
        'OF ID': 'subject.id',
        USD: '?amountUsd',
        PERIOD: '?period',
        'TIME ZONE': '?timeZone',
        COUNT: '?count',
        MODEL: '?model',
        TAG: '?tag.name',
        'TAG VALUE': '?tag.value',
        EACH: '?each',
        TRAFFIC: '?traffic',
        REQUIRED: '?required',
        SOFT: '?soft',
      },
      examples: ['limits list', 'limits list --key checkout', 'limits list --platform'],
    },
    update: {
      method: 'Limits.Update',
      about: 'change the amount or the count, and the terms of a budget; kind, subject and models stay',
      arguments: [id],
      options: [amount, count, required, ...terms, ifRevision],
      file: true,
      examples: ['limits update 01890000-0000-7000-8000-000000000000 --usd 500'],
    },
    raise: {
      method: 'Limits.Raise',
      about: "add to a budget's amount until a time, by default the end of its current window",
      arguments: [budget, { flags: '<usd>', about: 'what is added, in USD', field: 'amountUsd' }],
      options: [
        { flags: '--until <time>', about: 'a date or RFC 3339', field: 'endsAt', read: time },
        { flags: '--for <duration>', about: 'for so long from now, such as 3d', field: 'endsAt', read: fromNow },
        { flags: '--reason <text>', about: 'why, for the audit log', field: 'reason' },
      ],
      examples: [
        'limits raise checkout 100',
        "limits raise 01890000-0000-7000-8000-000000000000 100 --for 3d --reason 'launch'",
      ],
    },
    'end-raise': {
      method: 'Limits.EndRaise',
      about: 'end a raise of a budget early',
      arguments: [budget, { flags: '<raise>', about: 'id of the raise, which limits get shows', field: 'raiseId' }],
      examples: ['limits end-raise 01890000-0000-7000-8000-000000000000 01890000-0000-7000-8000-000000000001'],
    },
    delete: {
      method: 'Limits.Delete',
      about: 'delete a limit',
      arguments: [id],
      prompt: 'Delete the limit {id}? Requests that it refuses pass at once.',
      done: 'deleted',
      examples: ['limits delete 01890000-0000-7000-8000-000000000000 --yes'],
    },
  },
};
