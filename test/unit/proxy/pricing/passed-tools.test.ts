// Under a budget: what a client's tools that the vendor runs add to the reservation, or why the request is refused.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import type { VendorName } from '../../../../common/vendors.ts';
import { messagesClients } from '../../../../proxy/formats/messages/client.ts';
import { allOwnTools, noOwnTools } from '../../../../proxy/formats/own-tools.ts';
import { demandOf } from '../../../../proxy/pricing/demand.ts';
import { compilePrices } from '../../../../proxy/pricing/prices.ts';
import { unpriceable } from '../../../../proxy/pricing/unpriceable.ts';
import { callOf } from '../../../support/vendor-calls.ts';

const search = { type: 'web_search_20250305', name: 'web_search' };
const fetching = { type: 'web_fetch_20250910', name: 'web_fetch' };
const code = { type: 'code_execution_20250825', name: 'code_execution' };
const bash = { type: 'bash_20250124', name: 'bash' };

interface Options {
  readonly ownTools?: typeof allOwnTools;
  readonly vendor?: VendorName;
  readonly calls?: JsonObject;
  readonly limits?: { readonly maxInputTokens?: number };
}

function callWith(
  tools: readonly JsonObject[],
  { ownTools = allOwnTools, vendor = 'assistant-provider', limits = { maxInputTokens: 200_000 } }: Options,
) {
  const { request, target } = callOf(vendor, 'm', { messages: [{ role: 'user', content: 'Hi' }] });
  const client = {
    ...{ translation: messagesClients, body: { tools }, bytes: undefined, headers: [], origins: [] },
    ...{ path: { model: undefined, stream: undefined }, losses: { dropped: [], refusal: undefined } },
  };
  return {
    request: { ...request, client },
    ...{ targets: [{ ...target, ownTools }], qualifiedModel: `${vendor}/m` },
    catalogModel: { ...{ provider: vendor, name: 'm', chat: true, created: 1, capabilities: [] }, limits },
  };
}

function fieldOf(tools: readonly JsonObject[], options: Options = {}): string | undefined {
  const prices = compilePrices({
    input: '3',
    output: '15',
    calls: options.calls ?? { search: '0.01' },
    asOf: '2026-11-22',
  });
  if (prices === undefined) throw new Error('the prices are not believed');
  return unpriceable(callWith(tools, options), prices);
}

describe('under a budget, a tool of a client that the vendor runs', () => {
  it.each<[string, readonly JsonObject[], Options, string | undefined]>([
    ['a search with a price', [search], {}, undefined],
    ['a search without a price', [bash, search], { calls: {} }, 'tools[1]'],
    ['reading of pages within a known window', [fetching], {}, undefined],
    ['reading of pages without one', [fetching], { limits: {} }, 'tools[0]'],
    ['containers, which are charged by time', [bash, code], {}, 'tools[1]'],
    ['a tool of an unknown kind', [{ type: 'teleport_20300101' }], {}, 'tools[0]'],
    ['a tool that the client runs', [bash], { calls: {}, limits: {} }, undefined],
    ['a tool that does not pass', [search, code], { ownTools: noOwnTools, calls: {} }, undefined],
    ['a tool for a vendor of another format', [search, code], { vendor: 'gpt-provider', calls: {} }, undefined],
  ])('%s', (_what, tools, options, field) => {
    expect(fieldOf(tools, options)).toBe(field);
  });

  it('adds its searches, as many as it allows, and what it reads', () => {
    expect(demandOf(callWith([{ ...search, max_uses: 3 }], {}))).toMatchObject({
      calls: { search: 3 },
      wholeWindow: false,
    });
    expect(demandOf(callWith([search, fetching], {}))).toMatchObject({ calls: { search: 20 }, wholeWindow: true });
    expect(demandOf(callWith([search, fetching], { ownTools: noOwnTools }))).toMatchObject({
      calls: {},
      wholeWindow: false,
    });
  });
});
