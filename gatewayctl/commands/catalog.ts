// The catalog of models and prices as a file: the effect of newer prices, and its signature. Calls no server.
import { type Given, type Invocation, type Resource, textOf, valuesOf } from '../command.ts';
import { usageMistake } from '../failure.ts';

const from: Given = {
  flags: '--from <file>',
  about: "newer figures: a catalog, or LiteLLM's model_prices_and_context_window.json",
  required: true,
};
const against: Given = {
  flags: '--catalog <file>',
  about: 'the catalog to compare with; default: the one that is shipped',
};
const file: Given = { flags: '--catalog <file>', about: 'the catalog', required: true };
const asOf: Given = {
  flags: '--as-of <day>',
  about: "the day that LiteLLM's list was downloaded, YYYY-MM-DD; default: today",
};
const source: Given = {
  flags: '--source <name>',
  about: 'name of that list in the catalog, beginning with litellm-; default: litellm-<day>',
};
const accept: Given = {
  flags: '--accept <model>',
  about:
    'accept a change of this model that needs a review (a price that moves more than fivefold, or is lost): <provider>/<model>, or all; repeat it for more',
  several: true,
};
const out: Given = { flags: '--out <file>', about: 'where the new catalog goes; default: the one given' };

export const catalog: Resource = {
  name: 'catalog',
  about: 'models and their prices as a file, for GATEWAY_CATALOG_FILE; works on files alone',
  commands: {
    diff: {
      about: 'show what newer figures would change in a catalog',
      options: [from, against, asOf, source],
      run: async (invocation) => {
        const { diffCatalogs } = await import('../catalog/index.ts');
        await diffCatalogs(diffRequest(invocation), invocation.io);
      },
      examples: [
        'catalog diff --from model_prices_and_context_window.json',
        'catalog diff --from models.json --catalog /etc/model-gateway/models.json --json',
      ],
    },
    update: {
      about: 'show what newer figures change in a catalog, and write it; all of it or nothing',
      options: [from, { ...against, about: `${against.about}, which needs --out` }, out, asOf, source, accept],
      run: update,
      examples: [
        'catalog update --from model_prices_and_context_window.json --out models.json',
        'catalog update --from model_prices_and_context_window.json --catalog models.json --accept search-provider/gemini-flash-lite-latest',
      ],
    },
    sign: {
      about: 'sign a catalog: writes <file>.sig, and prints the public key',
      options: [file, { flags: '--key <file>', about: 'PEM of an Ed25519 private key', required: true }],
      run: async (invocation) => {
        const { signFile } = await import('../catalog/index.ts');
        await signFile(needed(invocation, file), textOf(invocation, '--key <file>') ?? '', invocation.io);
      },
      examples: ['catalog sign --catalog models.json --key catalog-key.pem'],
    },
    verify: {
      about: 'check that a file is a catalog that the gateway accepts, and show its day',
      options: [file, { flags: '--public-key <file>', about: 'PEM of the Ed25519 key that must have signed it' }],
      run: async (invocation) => {
        const { verifyFile } = await import('../catalog/index.ts');
        await verifyFile(needed(invocation, file), textOf(invocation, '--public-key <file>'), invocation.io);
      },
      examples: [
        'catalog verify --catalog models.json',
        'catalog verify --catalog models.json --public-key catalog-public.pem',
      ],
    },
  },
};

function needed(invocation: Invocation, { flags }: Given): string {
  return textOf(invocation, flags) ?? '';
}

function diffRequest(invocation: Invocation) {
  const day = textOf(invocation, asOf.flags) ?? new Date().toISOString().slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
    throw usageMistake('--as-of takes a day, YYYY-MM-DD');
  const named = textOf(invocation, source.flags) ?? `litellm-${day}`;
  if (!/^litellm-[\w.-]{1,60}$/.test(named))
    throw usageMistake('--source takes a name that begins with litellm-, such as litellm-1.109.1');
  return {
    from: needed(invocation, from),
    catalog: textOf(invocation, against.flags),
    asOf: day,
    source: named,
    form: invocation.options.form,
  };
}

async function update(invocation: Invocation): Promise<void> {
  const request = diffRequest(invocation);
  const goesTo = textOf(invocation, out.flags) ?? request.catalog;
  if (goesTo === undefined) throw usageMistake('name the file of the new catalog: --catalog <file> or --out <file>');
  const { updateFile } = await import('../catalog/index.ts');
  await updateFile({ ...request, out: goesTo, accept: valuesOf(invocation, accept) }, invocation.io);
}
