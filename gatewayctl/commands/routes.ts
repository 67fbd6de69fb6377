// Routes: names that callers use as models, each with groups of targets.
import { isObject } from '../../common/json.ts';
import { duration } from '../../common/settings.ts';
import { type Given, type Invocation, type Request, type Resource, textOf, valuesOf } from '../command.ts';
import { choicesOf, enumName } from '../enum-names.ts';
import { usageMistake } from '../failure.ts';
import { idOf } from '../names.ts';
import { organizationIfAny } from '../organization.ts';
import {
  readCeiling,
  readHedge,
  readShadow,
  readTarget,
  shadowForm,
  type TypedTarget,
  targetForm,
} from '../route-targets.ts';
import { allowUnmatched, ifRevision, rename, thing } from './shared.ts';

const split: Given = {
  flags: '--split <model=weight>',
  about: `a target of the first group, among which requests are shared by weight; repeat it for more; as with --target, ${targetForm} may follow`,
  several: true,
};

const target: Given = {
  flags: '--target <model>',
  about: `a target that is tried alone, after those before it; repeat it for more, in their order; ${targetForm} may follow`,
  several: true,
};

const shadow: Given = {
  flags: '--shadow <model=percent>',
  about: `a model that gets copies of this part of the requests, paid by a budget for shadow/<route>; nobody gets its responses; ${shadowForm}; off: none`,
};

const choice: Given = {
  flags: '--choice <choice>',
  about: 'which target of --split gets a request first; default: weighted',
  choices: choicesOf('GroupChoice') ?? [],
};

const inFlight: Given = {
  flags: '--in-flight <requests>',
  about:
    'with --split or --target: the most requests that each target has in flight on one proxy before others are preferred, from 4; off: only what the proxy measures limits them, which is the default',
};

const options: readonly Given[] = [
  split,
  choice,
  target,
  inFlight,
  shadow,
  {
    flags: '--on-context <true|false>',
    about: 'whether a request that is too long for a target goes to the next one; default: false',
    field: 'settings.onContext',
  },
  {
    flags: '--on-filter <true|false>',
    about: "whether a request that a target's content filter refuses goes to the next one; default: false",
    field: 'settings.onFilter',
  },
  {
    flags: '--on-budget <true|false>',
    about: 'whether a request goes to the next target when a budget of the first one refuses it; default: false',
    field: 'settings.onBudget',
  },
  {
    flags: '--keep-reasoning <true|false>',
    about:
      'whether a request with reasoning that only one provider key can read is served by that key alone; default: false',
    field: 'settings.keepReasoning',
  },
  {
    flags: '--recovery <off|restart|continue>',
    about:
      'what follows when a provider cuts a stream of which the caller has a part: an error, a restart while it has no text, or, where a model can, the rest of the text; default: off',
    field: 'settings.recovery',
  },
  {
    flags: '--hedge <time|percentile|off>',
    about:
      'when the next target gets a request as well, because nothing of the response has come: after a time, for example 2s, or after that of so many percent of recent responses, for example p95; the other attempt is cancelled, and may cost something; default: off',
    field: 'settings.hedge',
    read: readHedge,
  },
  {
    flags: '--cache-ttl <duration>',
    about: 'return cached responses to equal requests for so long: from 1s to 24h; 0s: never, which is the default',
    field: 'settings.cache.ttlSeconds',
    read: wholeSeconds,
  },
  {
    flags: '--cache-per-scope <true|false>',
    about:
      'whether each AI system and person has its own cached responses; default: false, the organization shares them',
    field: 'settings.cache.perScope',
  },
  {
    flags: '--cache-price <percent>',
    about: 'what a cached response costs, in percent of the price of its tokens: 0 to 100; default: 0',
    field: 'settings.cache.pricePercent',
  },
  { flags: '--active <true|false>', about: 'false: callers cannot use it', field: 'active' },
  allowUnmatched,
];

export const routes: Resource = {
  name: 'routes',
  about: 'names that callers use as models, each with targets that are tried in order',
  commands: {
    create: {
      method: 'Routes.Create',
      about: 'add a route; --file also takes groups with conditions',
      arguments: [
        {
          flags: '<name>',
          about: 'as callers send it, or the <provider>/<model> that it replaces',
          field: 'name',
        },
      ],
      options,
      file: true,
      complete: withTargets,
      examples: [
        'routes create fast --target gpt-provider/gpt-4o-mini --target assistant-provider/claude-haiku-4-5',
        'routes create fast --split gpt-provider/gpt-4o-mini=80 --split studio-ai/our-gpt-4o-mini=20,key=eu',
        'routes create gpt-provider/gpt-4o --target gpt-provider/gpt-4o,first-token=5s --target studio-ai/gpt-4o',
        'routes create faq --target gpt-provider/gpt-4o-mini --cache-ttl 10m',
        'routes create agents --split gpt-provider/gpt-4o=80 --split studio-ai/gpt-4o=20 --choice sticky',
        'routes create new --split gpt-provider/gpt-4o --split gpt-provider/gpt-5.4,canary=2.5',
        'routes create quick --target gpt-provider/gpt-4o-mini --target studio-ai/gpt-4o-mini --hedge p95',
        'routes create smart --file route.json',
      ],
    },
    get: {
      method: 'Routes.Get',
      about: 'show a route',
      arguments: [thing('route')],
      examples: ['routes get fast'],
    },
    list: {
      method: 'Routes.List',
      about: 'list routes',
      columns: { NAME: 'name', ID: 'id', ACTIVE: 'active', TARGETS: 'groups' },
      examples: ['routes list'],
    },
    update: {
      method: 'Routes.Update',
      about: 'change a route; --split and --target replace all of its groups, as groups of --file do',
      arguments: [thing('route')],
      options: [rename, ...options, ifRevision],
      file: true,
      complete: withTargets,
      examples: [
        'routes update fast --active false',
        'routes update fast --target gpt-provider/gpt-4o-mini',
        'routes update fast --hedge off',
        'routes update fast --shadow assistant-provider/claude-haiku-4-5=5',
      ],
    },
    delete: {
      method: 'Routes.Delete',
      about: 'delete a route; a model that it replaced is called itself again',
      arguments: [thing('route')],
      prompt: 'Delete the route {route}? Requests that name it are refused at once.',
      done: 'deleted',
      examples: ['routes delete fast --yes'],
    },
  },
};

async function withTargets(request: Request, invocation: Invocation): Promise<Request> {
  return withShadow(await withGroups(request, invocation), invocation);
}

/** @throws Failure that names the option */
async function withShadow(request: Request, invocation: Invocation): Promise<Request> {
  const text = invocation.given.get(shadow);
  if (typeof text !== 'string') return request;
  const { shadow: written, key } = typed(shadow, () => readShadow(text));
  const { settings } = request;
  return {
    ...request,
    settings: { ...(isObject(settings) && settings), shadow: await keyed(written, key, invocation) },
  };
}

/** @throws Failure that names the option */
async function withGroups(request: Request, invocation: Invocation): Promise<Request> {
  const shared = valuesOf(invocation, split).map((text) => typed(split, () => readTarget(text, true)));
  const alone = valuesOf(invocation, target).map((text) => typed(target, () => readTarget(text, false)));
  const chosen = textOf(invocation, choice.flags);
  const ceiling = textOf(invocation, inFlight.flags);
  if (chosen !== undefined && shared.length === 0) throw usageMistake('--choice is for the targets of --split');
  const isEmpty = shared.length + alone.length === 0;
  if (ceiling !== undefined && isEmpty) throw usageMistake('--in-flight is for the targets of --split and --target');
  if (isEmpty) return request;
  const inFlightMax = ceiling === undefined ? undefined : typed(inFlight, () => readCeiling(ceiling));
  const groups = [...(shared.length > 0 ? [shared] : []), ...alone.map((one) => [one])];
  const written = groups.map(async (targets) => ({
    targets: await Promise.all(targets.map((one) => withKey(one, invocation))),
    ...(inFlightMax !== undefined && { inFlightMax }),
    ...(targets === shared && chosen !== undefined && { choice: enumName('GroupChoice', chosen) }),
  }));
  return { ...request, groups: await Promise.all(written) };
}

function wholeSeconds(text: string): number {
  const ms = duration(text);
  if (ms % 1000 !== 0) throw new Error('must be whole seconds');
  return ms / 1000;
}

function typed<Read>(option: Given, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw usageMistake(`${option.flags.replace(/ .*$/, '')} ${error instanceof Error ? error.message : ''}`);
  }
}

function withKey({ target: written, key }: TypedTarget, invocation: Invocation): Promise<object> {
  return keyed(written, key, invocation);
}

async function keyed(written: object, key: string | undefined, invocation: Invocation): Promise<object> {
  if (key === undefined) return written;
  const client = await invocation.client();
  return { ...written, providerKeyId: await idOf('provider key', key, client, () => organizationIfAny(invocation)) };
}
