// The vendors' bills, each in its own format: the responses of two APIs, and three exports as their vendors write them.
import type { AnthropicCost, AnthropicLedger } from './anthropic-server.ts';
import type { OpenAiCost, OpenAiLedger } from './openai-server.ts';
import { type KeyName, plants, type Use } from './uses.ts';

/** The vendor's charge for some requests. */
export interface BilledUse {
  readonly day: string;
  readonly use: Use;
  readonly usd: number;
  readonly requests: number;
  readonly tier: string;
  readonly batch: boolean;
  /** Searches: a separate line without model and tokens. */
  readonly isTool?: boolean;
  /** Replaces the name of the use's provider key. */
  readonly apiKey?: string;
  readonly project?: string;
  readonly resource?: string;
}

/** The vendors' names of the billed accounts. */
export const accounts = {
  'gpt-main': { apiKey: 'key_main', project: 'proj_shop' },
  'gpt-labs': { apiKey: 'key_labs', project: 'proj_labs' },
  'claude-main': { apiKey: 'apikey_main', project: 'wrkspc_main' },
  'claude-labs': { apiKey: 'apikey_labs', project: 'wrkspc_labs' },
  'bedrock-a': {
    apiKey: '',
    project: 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/a1',
  },
  'bedrock-b': {
    apiKey: '',
    project: 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/b1',
  },
  studio: {
    apiKey: '',
    project: '/subscriptions/s1/resourceGroups/ai/providers/Microsoft.CognitiveServices/accounts/chat',
  },
  gemini: { apiKey: '', project: 'gen-lang-client-1' },
} as const satisfies Record<KeyName, { readonly apiKey: string; readonly project: string }>;

export interface Documents {
  readonly openAi: OpenAiLedger;
  readonly anthropic: AnthropicLedger;
  /** The text of a file, as are the next two. */
  readonly aws: string;
  readonly azure: string;
  readonly google: string;
  /** Total of the bills by vendor, USD. */
  readonly billedUsd: Readonly<Record<string, number>>;
}

export function documentsOf(billed: readonly BilledUse[], days: readonly string[]): Documents {
  const of = (...keys: readonly KeyName[]) => billed.filter(({ use }) => keys.includes(use.line.key));
  const [openAi, anthropic] = [of('gpt-main', 'gpt-labs'), of('claude-main', 'claude-labs')];
  const [aws, azure, google] = [of('bedrock-a', 'bedrock-b'), of('studio'), of('gemini')];
  const sum = (uses: readonly BilledUse[]) => uses.reduce((all, { usd }) => all + usd, 0);
  return {
    openAi: openAiLedger(openAi),
    anthropic: anthropicLedger(anthropic),
    aws: awsCsv(aws, days),
    azure: azureCsv(azure, days),
    google: googleLines(google, days),
    billedUsd: {
      openai: sum(openAi),
      anthropic: sum(anthropic),
      aws: sum(aws),
      azure: sum(azure),
      google: sum(google),
    },
  };
}

/** Parts of a use by kind of token, each with its share of the bill. */
function parts({ use, usd }: BilledUse) {
  const { rates } = use.line;
  const all = [
    { kind: 'input', tokens: use.prompt - use.cached, rate: rates.input },
    { kind: 'cached', tokens: use.cached, rate: rates.cached },
    { kind: 'output', tokens: use.completion, rate: rates.output },
  ] as const;
  const usual = all.reduce((sum, { tokens, rate }) => sum + tokens * rate, 0);
  return all
    .filter(({ tokens }) => tokens > 0)
    .map(({ kind, tokens, rate }) => ({ kind, tokens, usd: (usd * tokens * rate) / usual }));
}

function openAiLedger(billed: readonly BilledUse[]): OpenAiLedger {
  const of = ({ use, apiKey, project }: BilledUse) => ({
    api_key_id: apiKey ?? accounts[use.line.key].apiKey,
    project_id: project ?? accounts[use.line.key].project,
  });
  const ofModels = billed.filter(({ isTool }) => isTool !== true);
  const usage = ofModels.map((one) => ({
    ...{ day: one.day, ...of(one), model: one.use.line.servedModel, batch: one.batch },
    ...{ service_tier: one.tier === '' ? 'default' : one.tier, input_tokens: one.use.prompt },
    ...{ input_cached_tokens: one.use.cached, input_cache_write_tokens: 0 },
    ...{ output_tokens: one.use.completion, num_model_requests: one.requests },
  }));
  const words = { input: 'input', cached: 'cached input', output: 'output' };
  const searches = billed
    .filter(({ isTool }) => isTool === true)
    .map((one) => ({ day: one.day, ...of(one), value: one.usd, line_item: 'Web search tool calls' }));
  const costs = ofModels.flatMap((one): OpenAiCost[] =>
    parts(one).map(({ kind, usd }) => ({
      ...{ day: one.day, ...of(one), value: usd },
      line_item: `${one.tier === '' ? '' : `${one.tier} | `}${one.use.line.servedModel}, ${words[kind]}`,
    })),
  );
  return { usage, costs: [...costs, ...searches] };
}

function anthropicLedger(billed: readonly BilledUse[]): AnthropicLedger {
  const usage = billed.map(({ day, use }) => ({
    ...{ day, api_key_id: accounts[use.line.key].apiKey, workspace_id: accounts[use.line.key].project },
    ...{
      model: use.line.servedModel,
      service_tier: 'standard',
      uncached_input_tokens: use.prompt - use.cached,
    },
    ...{ cache_read_input_tokens: use.cached, ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: use.completion,
  }));
  const words = {
    input: ['Input Tokens', 'uncached_input_tokens'],
    cached: ['Input Tokens, Cache Read', 'cache_read_input_tokens'],
    output: ['Output Tokens', 'output_tokens'],
  } as const;
  const costs = billed.flatMap((one): AnthropicCost[] =>
    parts(one).map(({ kind, usd }) => ({
      ...{ day: one.day, workspace_id: accounts[one.use.line.key].project, cost_type: 'tokens' },
      ...{ description: `Claude Sonnet 4.5 Usage - ${words[kind][0]}`, model: one.use.line.servedModel },
      ...{ service_tier: 'standard', token_type: words[kind][1], cents: usd * 100 },
    })),
  );
  return { usage, costs };
}

/** CUR 2.0, with lines of another service and some duplicate lines, as in exports that were written again. */
function awsCsv(billed: readonly BilledUse[], days: readonly string[]): string {
  const names = [
    ...['identity_line_item_id', 'identity_time_interval', 'line_item_usage_account_id'],
    ...['line_item_line_item_type', 'line_item_product_code', 'line_item_usage_type', 'line_item_usage_amount'],
    ...['line_item_unblended_cost', 'line_item_currency_code', 'line_item_usage_start_date'],
    ...['line_item_resource_id', 'line_item_line_item_description', 'pricing_unit', 'product'],
  ];
  const kinds = { input: 'input-tokens', cached: 'cache-read-input-token-count', output: 'output-tokens' };
  let id = 0;
  const line = (day: string, fields: Readonly<Record<string, string | number>>) => {
    const all: Readonly<Record<string, string | number>> = {
      ...{
        identity_line_item_id: `line${id++}`,
        identity_time_interval: `${day}T07:00:00Z/${day}T08:00:00Z`,
      },
      ...{ line_item_usage_account_id: '111122223333', line_item_currency_code: 'USD' },
      ...{ line_item_product_code: 'AmazonBedrock', line_item_usage_start_date: `${day} 07:00:00.000` },
      ...{ product: '{"product_name":"Amazon Bedrock","region":"us-east-1"}', ...fields },
    };
    return csv(names.map((name) => all[name] ?? ''));
  };
  const usage = billed.flatMap((one) =>
    parts(one).map(({ kind, tokens, usd }) =>
      line(one.day, {
        ...{ line_item_line_item_type: 'Usage', line_item_unblended_cost: usd.toFixed(10) },
        ...{ line_item_usage_type: `USE1-Claude4.5Haiku-${kinds[kind]}-cross-region-global` },
        ...{ line_item_usage_amount: tokens / 1000, pricing_unit: '1K tokens' },
        ...{ line_item_resource_id: one.resource ?? accounts[one.use.line.key].project },
        line_item_line_item_description: `$0.001 per 1K, "${kind}", cross-region`,
      }),
    ),
  );
  const credit = line(days[plants.awsCredit - 1] ?? '', {
    ...{ line_item_line_item_type: 'Credit', line_item_usage_type: 'USE1-Claude4.5Haiku-input-tokens' },
    ...{
      line_item_unblended_cost: '-25.0000000000',
      line_item_line_item_description: 'Credit for an outage',
    },
  });
  const tax = line(days[plants.tax - 1] ?? '', {
    ...{ line_item_line_item_type: 'Tax', line_item_unblended_cost: '1.9' },
  });
  const other = line(days[0] ?? '', {
    ...{
      line_item_product_code: 'AmazonEC2',
      line_item_line_item_type: 'Usage',
      line_item_unblended_cost: '9',
    },
  });
  const repeated = usage.slice(0, 3);
  return [csv(names), ...usage, ...repeated, credit, tax, other].join('');
}

/** The columns of an enterprise agreement. */
function azureCsv(billed: readonly BilledUse[], days: readonly string[]): string {
  const names = [
    ...['Date', 'SubscriptionId', 'ResourceId', 'MeterCategory', 'MeterSubCategory', 'MeterName', 'UnitOfMeasure'],
    ...['Quantity', 'CostInBillingCurrency', 'BillingCurrencyCode', 'ChargeType', 'Tags'],
  ];
  const meters = {
    input: 'gpt 4.1 nano Inp glbl',
    cached: 'gpt 4.1 nano cached Inp glbl',
    output: 'gpt 4.1 nano Outp glbl',
  };
  const line = (day: string, fields: Readonly<Record<string, string | number>>) => {
    const [year, month, date] = day.split('-');
    const all: Readonly<Record<string, string | number>> = {
      ...{ Date: `${month}/${date}/${year}`, SubscriptionId: 's1', ResourceId: accounts.studio.project },
      ...{ MeterCategory: 'Foundry Models', MeterSubCategory: 'Azure OpenAI', BillingCurrencyCode: 'USD' },
      ...{ ChargeType: 'Usage', Tags: '"team": "shop", "stage": "prod"', ...fields },
    };
    return csv(names.map((name) => all[name] ?? ''));
  };
  const usage = billed.flatMap((one) =>
    parts(one).map(({ kind, tokens, usd }) =>
      line(one.day, {
        MeterName: `${meters[kind]} Tokens`,
        UnitOfMeasure: '1M',
        Quantity: tokens / 1e6,
        CostInBillingCurrency: usd,
      }),
    ),
  );
  const speech = line(days[plants.otherMeter - 1] ?? '', {
    ...{
      MeterCategory: 'Cognitive Services',
      MeterName: 'S1 Speech To Text',
      UnitOfMeasure: '1 Hour',
      Quantity: 3,
    },
    CostInBillingCurrency: 3,
  });
  const machine = line(days[0] ?? '', {
    ...{
      MeterCategory: 'Virtual Machines',
      MeterName: 'D2 v3',
      CostInBillingCurrency: 7,
      ResourceId: '/subscriptions/s1/vm',
    },
  });
  return `\uFEFF${[csv(names), ...usage, speech, machine].join('')}`;
}

/** Rows of the export's table, billed in euros; a part of one day is free. */
function googleLines(billed: readonly BilledUse[], days: readonly string[]): string {
  const rate = 0.9;
  const skus = {
    input: 'Generate content input token count gemini 2.5 flash short input text',
    cached: 'Generate content cached input token count gemini 2.5 flash text',
    output: 'Generate content output token count gemini 2.5 flash short output text non-thinking',
  };
  const row = (day: string, sku: string, usd: number, more: object = {}) => ({
    ...{ service: { id: 'AEFD-7695-64FA', description: 'Gemini API' }, sku: { id: 'X', description: sku } },
    ...{ usage_start_time: `${day} 07:00:00 UTC`, usage_end_time: `${day} 08:00:00 UTC`, cost: usd * rate },
    ...{
      project: { id: accounts.gemini.project },
      currency: 'EUR',
      currency_conversion_rate: rate,
      credits: [],
    },
    ...{ cost_type: 'regular', ...more },
  });
  const usage = billed.flatMap((one) =>
    parts(one).map(({ kind, tokens, usd }) =>
      row(one.day, skus[kind], usd, { usage: { amount: tokens, unit: 'count', pricing_unit: 'count' } }),
    ),
  );
  const credit = row(days[plants.googleCredit - 1] ?? '', skus.input, 0, {
    usage: { amount: 0, unit: 'count' },
    credits: [{ name: 'Trial', amount: -4.5, type: 'PROMOTION' }],
  });
  const other = {
    ...row(days[0] ?? '', 'N1 Predefined Instance Core', 3),
    service: { description: 'Compute Engine' },
  };
  return [...usage, credit, other].map((one) => `${JSON.stringify(one)}\n`).join('');
}

function csv(cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) =>
    /[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell),
  );
  return `${texts.join(',')}\n`;
}
