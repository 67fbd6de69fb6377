// An organization's own prices, USD per million tokens.
import type { Given, Resource } from '../command.ts';
import { allowUnmatched, ifRevision, thing } from './shared.ts';

const figures: readonly Given[] = [
  { flags: '--input <usd>', about: 'per million tokens of prompts', field: 'prices.input' },
  { flags: '--output <usd>', about: 'per million tokens of responses', field: 'prices.output' },
  { flags: '--cache-read <usd>', about: 'read from a cache; default: as input', field: 'prices.cacheRead' },
  {
    flags: '--cache-write <usd>',
    about: 'written to a cache; default: as input',
    field: 'prices.cacheWrite',
  },
  {
    flags: '--cache-write-1h <usd>',
    about: 'written for an hour; default: as input',
    field: 'prices.cacheWrite1h',
  },
  {
    flags: '--cache-write-12h <usd>',
    about: 'written for twelve hours; default: as for an hour',
    field: 'prices.cacheWrite12h',
  },
  { flags: '--audio-input <usd>', about: 'sound in prompts', field: 'prices.audioInput' },
  { flags: '--audio-output <usd>', about: 'sound in responses', field: 'prices.audioOutput' },
  { flags: '--image-output <usd>', about: 'images in responses, by token', field: 'prices.imageOutput' },
  { flags: '--image <usd>', about: 'each image in responses', field: 'prices.calls.image' },
  { flags: '--search <usd>', about: 'each search that the vendor makes', field: 'prices.calls.search' },
  {
    flags: '--request <usd>',
    about: 'each request, beside its tokens',
    field: 'prices.calls.request',
  },
  {
    flags: '--as-of <day>',
    about: 'the day the figures were found, YYYY-MM-DD; default: today',
    field: 'prices.asOf',
  },
];

export const prices: Resource = {
  name: 'prices',
  about: "prices of an organization's own, in place of the catalog's",
  commands: {
    create: {
      method: 'Prices.Create',
      about: 'set a price; --file also takes tiers, serviceTiers and surcharges',
      arguments: [{ flags: '<model>', about: '<provider>/<model>, or a glob over it', field: 'model' }],
      options: [...figures, allowUnmatched],
      file: true,
      examples: ['prices create gpt-provider/gpt-4o-mini --input 0.12 --output 0.5'],
    },
    get: {
      method: 'Prices.Get',
      about: 'show a price',
      arguments: [thing('price')],
      examples: ['prices get gpt-provider/gpt-4o-mini'],
    },
    list: {
      method: 'Prices.List',
      about: 'list prices, USD per million tokens',
      columns: {
        MODEL: 'model',
        ID: 'id',
        INPUT: 'prices.input',
        OUTPUT: 'prices.output',
        'CACHE READ': '?prices.cacheRead',
        'CACHE WRITE': '?prices.cacheWrite',
        'AS OF': 'prices.asOf',
      },
      examples: ['prices list'],
    },
    update: {
      method: 'Prices.Update',
      about: 'set all figures of a price anew',
      arguments: [thing('price')],
      options: [...figures, ifRevision],
      file: true,
      examples: ['prices update gpt-provider/gpt-4o-mini --input 0.1 --output 0.4'],
    },
    delete: {
      method: 'Prices.Delete',
      about: "delete a price: the catalog's counts again",
      arguments: [thing('price')],
      prompt: 'Delete the price of {price}?',
      done: 'deleted',
      examples: ['prices delete gpt-provider/gpt-4o-mini --yes'],
    },
  },
};
