// Models: the catalog and custom providers, joined with the organization's settings, keys, stops, routes and prices.
import type { Resource } from '../command.ts';

export const models: Resource = {
  name: 'models',
  about: 'the models that the organization may call, with prices and what requests need to reach them',
  commands: {
    list: {
      method: 'Models.List',
      about: 'list models by name; `keys explain` shows those of one key',
      options: [
        { flags: '--query <text>', about: 'only those whose name contains this', field: 'query' },
        { flags: '--provider <name>', about: 'only of this provider', field: 'provider' },
        { flags: '--callable', about: 'only those that requests can reach now', field: 'callable' },
        { flags: '--unpriced', about: 'only those without a price, which budgets refuse', field: 'unpriced' },
        {
          flags: '--ejected-or-limited',
          about: 'only those that a proxy has ejected, or whose vendor’s limit is used up there',
          field: 'ejectedOrLimited',
        },
      ],
      columns: {
        MODEL: 'name',
        ALLOWED: 'allowed',
        KEY: 'hasKey',
        STOPPED: 'stopped',
        PROXIES: '?health.proxies',
        EJECTED: '?health.ejected',
        LIMITED: '?health.limited',
        'LAST FAILURE': '?health.lastFailure',
        'INPUT USD': '?prices.input',
        'OUTPUT USD': '?prices.output',
        PRICE: 'priceOrigin',
        'AS OF': '?prices.asOf',
        SOURCE: '?priceSource',
        ROUTES: '?routes',
      },
      notes:
        'Prices are in USD per million tokens. Proxies that use the replica which responds are counted. All fields are in the response with --json.',
      examples: [
        'models list --callable',
        'models list --query mini --provider gpt-provider',
        'models list --unpriced --json',
        'models list --ejected-or-limited',
      ],
    },
  },
};
