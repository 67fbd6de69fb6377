// The usage and cost APIs of two vendors, played strictly. All pages are read, each day once, numbers exactly, and the
// key is sent nowhere else.
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { anthropic, anthropicCosts, anthropicUsage } from '../../../../gatewayctl/bills/anthropic.ts';
import { openAi, openAiCosts, openAiUsage, readLineItem } from '../../../../gatewayctl/bills/openai.ts';
import { apiUrl } from '../../../../gatewayctl/bills/vendor-api.ts';
import { startAnthropic } from '../../../support/bills/anthropic-server.ts';
import { startOpenAi } from '../../../support/bills/openai-server.ts';
import { inWords, readBill } from '../../../support/bills/read.ts';
import { refused, startVendor, type VendorResponse, type VendorServer } from '../../../support/bills/vendor-server.ts';

const key = 'sk-admin-made-up-for-tests';
const days = Array.from({ length: 20 }, (_, n) => `2026-10-${String(n + 1).padStart(2, '0')}`);
const range = { from: '2026-10-01', to: '2026-10-20' };

describe('the billing API of a vendor', () => {
  let server: VendorServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** @param respond the response to each request, by its index */
  async function respondingWith(respond: (nth: number) => VendorResponse): Promise<string> {
    let nth = 0;
    server = await startVendor({ responseTo: () => respond(nth++) });
    return server.url;
  }

  const bucket = (day: string, results: readonly object[]) => ({
    ...{ object: 'bucket', start_time: Date.parse(day) / 1000, end_time: Date.parse(day) / 1000 + 86_400 },
    results,
  });
  const page = (data: readonly object[], next: string | null = null): VendorResponse => ({
    status: 200,
    body: { object: 'page', data, has_more: next !== null, next_page: next },
  });
  const cost = (amount: object) => ({ line_item: 'gpt-4o', project_id: 'p', api_key_id: null, amount });

  it('of OpenAI yields tokens by key, model and tier, over all pages and in spite of 429', async () => {
    const usage = days.flatMap((day) =>
      ['default', 'priority'].map((service_tier) => ({
        ...{
          day,
          project_id: 'proj_1',
          api_key_id: 'key_1',
          model: 'gpt-4o-2024-08-06',
          batch: false,
          service_tier,
        },
        ...{ input_tokens: 1000, input_cached_tokens: 400, input_cache_write_tokens: 100, output_tokens: 50 },
        num_model_requests: 3,
      })),
    );
    const busyEvery = 2;
    server = await startOpenAi(key, () => ({ usage, costs: [] }), busyEvery);
    const { days: read } = await readBill(openAiUsage(openAi(`${server.url}/v1`, new Secret(key)), range));
    expect(read.map(({ day }) => day)).toEqual(days);
    expect(read[19]?.rows[0]?.requests).toBe(3);
    expect(inWords({ days: read.slice(19), remarks: [] })).toEqual([
      '2026-10-20 | api_key key_1, project proj_1 | usage | gpt-4o-2024-08-06 |  | 1000/50/400/100/0 | -',
      '2026-10-20 | api_key key_1, project proj_1 | usage | gpt-4o-2024-08-06 | priority | 1000/50/400/100/0 | -',
    ]);
    // Three pages of seven days, and two requests that were refused at first.
    expect(server.requested).toHaveLength(5);
    for (const { query } of server.requested)
      expect(query.getAll('group_by[]')).toEqual(['project_id', 'api_key_id', 'model', 'batch', 'service_tier']);
  });

  it('of OpenAI yields costs by line item, with all of their digits', async () => {
    const url = await respondingWith(() =>
      page([
        bucket('2026-10-01', [
          { ...cost({ currency: 'usd' }), amount: { value: 0.1, currency: 'usd' } },
          {
            ...cost({ value: 0.0000000004, currency: 'usd' }),
            line_item: 'priority | gpt-5.6-sol, output, long context',
          },
          { ...cost({ value: 0.02, currency: 'usd' }), line_item: 'Web search tool calls' },
          { ...cost({ value: -5, currency: 'usd' }), line_item: 'Credit grant' },
        ]),
      ]),
    );
    const read = await readBill(openAiCosts(openAi(url, new Secret(key)), { from: '2026-10-01', to: '2026-10-01' }));
    expect(inWords(read)).toEqual([
      '2026-10-01 | project p | usage | gpt-4o |  | - | 0.1',
      '2026-10-01 | project p | usage | gpt-5.6-sol | priority | - | 0',
      '2026-10-01 | project p | tool |  |  | - | 0.02',
      '2026-10-01 | project p | credit |  |  | - | -5',
    ]);
  });

  it('of Anthropic yields tokens with cache writes by their lifetime, and cents as dollars', async () => {
    server = await startAnthropic(key, () => ({
      usage: days.map((day) => ({
        ...{ day, api_key_id: 'apikey_1', workspace_id: null, model: 'claude-sonnet-4-5-20250929' },
        ...{ service_tier: 'standard', uncached_input_tokens: 100, cache_read_input_tokens: 20 },
        ...{ ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7, output_tokens: 30 },
      })),
      costs: days.map((day) => ({
        ...{
          day,
          workspace_id: null,
          description: 'Claude Sonnet 4.5 Usage - Input Tokens',
          cost_type: 'tokens',
        },
        ...{
          model: 'claude-sonnet-4-5-20250929',
          service_tier: 'standard',
          token_type: 'uncached_input_tokens',
        },
        cents: 123.456,
      })),
    }));
    const api = anthropic(server.url, new Secret(key));
    const usage = await readBill(anthropicUsage(api, range));
    expect(usage.days).toHaveLength(20);
    expect(inWords(usage)[0]).toBe(
      '2026-10-01 | api_key apikey_1, workspace default | usage | claude-sonnet-4-5-20250929 |  | 132/30/20/12/7 | -',
    );
    expect(inWords(await readBill(anthropicCosts(api, range)))[19]).toBe(
      '2026-10-20 | workspace default | usage | claude-sonnet-4-5-20250929 |  | - | 1.23456',
    );
  });

  it('covers days without any usage', async () => {
    const url = await respondingWith(() => page([]));
    const { days: read } = await readBill(openAiCosts(openAi(url, new Secret(key)), range));
    expect(read.map(({ day, rows }) => [day, rows.length])).toEqual(days.map((day) => [day, 0]));
  });

  it.each([
    ['a day twice', () => page([bucket('2026-10-01', []), bucket('2026-10-01', [])]), 'the day 2026-10-01 twice'],
    ['a bucket that is no day', () => page([{ start_time: 1_759_300_000, results: [] }]), 'a bucket that is no day'],
    ['another currency', () => page([bucket('2026-10-01', [cost({ value: 1, currency: 'eur' })])]), 'is in eur'],
    ['no amount', () => page([bucket('2026-10-01', [cost({ currency: 'usd' })])]), 'no amount in "value"'],
    ['pages without an end', () => page([], 'again'), 'but not the next one'],
    [
      'a page that it does not name',
      () => ({ status: 200, body: { data: [], has_more: true } }),
      'but not the next one',
    ],
    ['no list', () => ({ status: 200, body: { data: {} } }), 'no list "data"'],
  ])('is refused with %s', async (_what, respond, message) => {
    const url = await respondingWith(respond);
    await expect(readBill(openAiCosts(openAi(url, new Secret(key)), range))).rejects.toThrow(message);
  });

  it('that refuses the key gives an error with the vendor’s message and without the key', async () => {
    const url = await respondingWith(() => refused(401, `Incorrect API key provided: ${key}`));
    const reading = readBill(openAiCosts(openAi(url, new Secret(key)), range));
    await expect(reading).rejects.toThrow(
      'OpenAI responded with 401: Incorrect API key provided: [key]; it takes an admin key of the organization',
    );
  });

  it('is called again while it fails, and given up in the end', async () => {
    const url = await respondingWith((nth) => (nth < 1 ? refused(503, 'overloaded') : page([])));
    expect((await readBill(openAiCosts(openAi(url, new Secret(key)), range))).days).toHaveLength(20);
    expect(server?.requested).toHaveLength(2);
  });

  it('that redirects elsewhere does not get the key sent there', async () => {
    const other = await startVendor({ responseTo: () => page([]) });
    server = await startVendor({
      responseTo: () => ({
        status: 302,
        body: {},
        headers: { location: `${other.url}/v1/organization/costs` },
      }),
    });
    await expect(readBill(openAiCosts(openAi(server.url, new Secret(key)), range))).rejects.toThrow(
      'cannot be reached',
    );
    expect(other.requested).toEqual([]);
    await other.close();
  });

  it('that is unreachable gives an error', async () => {
    const url = await respondingWith(() => page([]));
    await server?.close();
    server = undefined;
    await expect(readBill(openAiCosts(openAi(url, new Secret(key)), range))).rejects.toThrow(
      'OpenAI cannot be reached',
    );
  });

  it.each(['https://api.example.com/v1', 'http://127.0.0.1:9/', 'http://[::1]:9', 'http://localhost:9'])(
    'can be at %s',
    (url) => {
      expect(apiUrl(url)).toBe(url.replace(/\/$/, ''));
    },
  );

  it.each(['http://api.example.com', 'https://a:b@example.com', 'https://example.com/?a=1', 'ftp://x', 'example.com'])(
    'cannot be at %s',
    (url) => {
      expect(() => apiUrl(url)).toThrow('--api-url must be an https URL');
    },
  );

  it.each([
    ['gpt-5.5-2026-04-23, cached input', 'gpt-5.5-2026-04-23', ''],
    ['priority | gpt-5.6-sol, output, long context', 'gpt-5.6-sol', 'priority'],
    ['flex | o3-2025-04-16, input', 'o3-2025-04-16', 'flex'],
    ['gpt-4o-audio-preview audio, output', 'gpt-4o-audio-preview', ''],
    ['ft:gpt-4o-mini-2024-07-18:acme::x, input', 'ft:gpt-4o-mini-2024-07-18:acme::x', ''],
    ['gpt-4o', 'gpt-4o', ''],
    ['Web search tool calls', '', ''],
    ['', '', ''],
  ])('has the line item %j parsed', (item, model, tier) => {
    expect(readLineItem(item)).toEqual({ model, tier });
  });
});
