// The effect of one tenant's texts and patterns on its own and others' guardrails: no caller gets a match that was not
// found, and no forbidden text passes uninspected. The proxy is a separate process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ProxyProcess, startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { type GuardrailFields, guardrailFields, openGuardrailFixture } from '../../support/guardrails/fixture.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let proxy: ProxyProcess;
let greedy: Tenant;
let other: Tenant;

interface Tenant {
  readonly key: string;
  guard(fields: GuardrailFields): Promise<string>;
}

async function tenant(organization: TestOrganization): Promise<Tenant> {
  const key = (await organization.createKey()).value;
  const fixture = openGuardrailFixture({ proxy }, organization, key);
  return { key, guard: (fields) => fixture.replace(fields) };
}

beforeAll(async () => {
  gateway = await startGateway();
  proxy = await gateway.startProxyProcess({ GATEWAY_ORGANIZATION_SHARE: '80' });
  greedy = await tenant(gateway.organization);
  other = await tenant(await gateway.createOrganization('other'));
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway?.close());

interface ReadResponse {
  readonly status: number;
  readonly code: string | undefined;
  readonly guardrails: string | null;
  readonly retryAfter: string | null;
}

async function send(key: string, content: string, signal?: AbortSignal): Promise<ReadResponse> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    ...{ method: 'POST', signal: signal ?? null },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    // A model that takes more than a million characters.
    body: JSON.stringify({ model: 'gpt-provider/gpt-4.1-mini', messages: [{ role: 'user', content }] }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  const { headers, status } = response;
  const retryAfter = headers.get('retry-after');
  return { status, code: body.error?.code, guardrails: headers.get('x-svc-guardrails'), retryAfter };
}

const forbidden = 'forbidden';
const filler = (characters: number) => 'word '.repeat(characters / 5);
const words = { words: { phrases: [forbidden] } };
const rule = (onFailure: string) => ({ onFailure: `GUARDRAIL_FAILURE_RULE_${onFailure}` });

/** 503 means that the text was not inspected; every other status is a decision about the text. */
function expectHonest(response: ReadResponse, name: string, expected: 'pass' | 'block'): void {
  if (response.status === 503)
    expect(response).toMatchObject({
      ...{ code: 'guardrail_unavailable', guardrails: `${name}=unavailable` },
      retryAfter: expect.stringMatching(/^\d+$/),
    });
  else
    expect([response.status, response.code, response.guardrails]).toEqual([
      ...(expected === 'pass' ? [200, undefined] : [400, 'guardrail_blocked']),
      `${name}=${expected}`,
    ]);
}

interface Flood {
  /** Those so far. */
  readonly responses: readonly ReadResponse[];
  stop(): Promise<void>;
}

/** Sends the text again and again, some at once, until it is stopped. */
function startFlood(key: string, content: string, atOnce: number): Flood {
  const ending = new AbortController();
  const responses: ReadResponse[] = [];
  const sender = async () => {
    while (!ending.signal.aborted) responses.push(await send(key, content, ending.signal));
  };
  const flooding = Promise.all(Array.from({ length: atOnce }, sender)).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return {
    responses,
    stop: async () => {
      ending.abort();
      await flooding;
    },
  };
}

describe('one tenant that floods', { timeout: 240_000 }, () => {
  describe('with a slow pattern', () => {
    let flood: Flood;

    beforeAll(async () => {
      await greedy.guard(guardrailFields(['input', 'observe'], { pattern: { patterns: ['(.*a){20}'] } }));
      flood = startFlood(greedy.key, 'a'.repeat(100_000), 12);
    });
    afterAll(() => flood?.stop());

    it.each(['BLOCK', 'PASS'])(
      'does not change the decisions for another: (.*a){20} on 12 texts of 100,000 "a"; rule %s',
      async (onFailure) => {
        const name = await other.guard(guardrailFields(['input', 'block'], words, rule(onFailure)));
        for (let sent = 0; sent < 6; sent++) {
          const clean = await send(other.key, filler(175_000));
          expect([clean.status, clean.guardrails]).toEqual([200, `${name}=pass`]);
          const found = await send(other.key, `${filler(175_000)}${forbidden}`);
          expect([found.status, found.code, found.guardrails]).toEqual([400, 'guardrail_blocked', `${name}=block`]);
        }
        // Those that wait for a worker are answered first.
        await until(() => flood.responses.length > 0, { what: 'the flood to get responses' });
        // This guardrail only observes, so its texts pass, inspected or not.
        for (const response of flood.responses) {
          expect(response.status).toBe(200);
          expect(response.guardrails).toMatch(/=(observe|unavailable)$/);
        }
      },
    );
  });

  it.each([
    ['BLOCK', 'pass', ''],
    ['PASS', 'block', forbidden],
  ] as const)(
    'with 60 texts of 308,000 characters gets correct decisions or a report that none was made; rule %s, expected %s',
    async (onFailure, expected, end) => {
      const name = await greedy.guard(guardrailFields(['input', 'block'], words, rule(onFailure)));
      gateway.simulator.reset();
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, () => send(greedy.key, `${filler(308_000)}${end}`)),
      );
      for (const response of outcomes) expectHonest(response, name, expected);
      const inspected = outcomes.filter(({ status }) => status !== 503).length;
      console.log(`rule ${onFailure}: ${inspected} of 60 inspected`);
      expect(inspected).toBeGreaterThan(0);
      const sent = gateway.simulator.requests.filter(({ body }) => body.includes(forbidden));
      expect(sent).toEqual([]);
    },
  );

  it('with 30 concurrent clean prompts of 8,000 characters gets all of them served', async () => {
    const name = await greedy.guard(guardrailFields(['input', 'block'], { personalData: {} }));
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => send(greedy.key, filler(8_000))));
    for (const response of outcomes) expect([response.status, response.guardrails]).toEqual([200, `${name}=pass`]);
  });
});

it('the use of each share is in the metrics', async () => {
  const body = await (await fetch(`${proxy.adminUrl}/metrics`)).text();
  for (const resource of ['guardrail_slices', 'guardrail_queue', 'guardrail_workers']) {
    expect(body).toContain(`gateway_share_used{resource="${resource}"} 0\n`);
    expect(body).toMatch(new RegExp(`gateway_share_refused_total\\{resource="${resource}"\\} \\d+\\n`));
  }
});
