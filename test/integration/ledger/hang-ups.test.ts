// Callers that leave before their response has arrived: the output that the vendor generated for them is charged, they
// have the same limits as callers that wait, and reading on has bounds.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { type RawUpstream, startRawUpstream } from '../../support/raw-upstream.ts';
import { costOf, recordedRequest, recordedRequests } from '../../support/recorded.ts';
import { createBudget, ledgerAtRest, type Spending, spend } from '../../support/spending.ts';
import { storedKeys } from '../../support/vendors.ts';

/** USD 10 per million tokens of output, the catalog's price of gpt-4o. */
const ceiling = 4000;
const generated = 3900;
const whole = { model: 'gpt-provider/gpt-4o', max_tokens: ceiling };
const streamed = { model: 'assistant-provider/claude-haiku-4-5', max_tokens: ceiling, stream: true };

/** What the vendor does for one test; requests that are read on may outlast their test. */
interface Play {
  /** Tokens that the vendor has generated. */
  tokens: number;
  /** Milliseconds until a whole response, or until the usage that follows the text of a stream. */
  ms: number;
}

let vendor: RawUpstream;
let gateway: TestGateway;
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };
let play: Play;
/** Resolves when a request has reached the vendor. */
let reached: PromiseWithResolvers<void>;

beforeAll(async () => {
  vendor = await startRawUpstream((socket, body) => {
    reached.resolve();
    return body.includes('"stream":true') ? playMessages(socket, play) : playCompletion(socket, play);
  });
  const url = `http://127.0.0.1:${vendor.port}`;
  const proxy = { ...vendor.settings, GATEWAY_ASSISTANT_PROVIDER_URL: url, GATEWAY_READ_ON_SECONDS: '2' };
  gateway = await startGateway({ proxy });
});

beforeEach(async () => {
  play = { tokens: 0, ms: 150 };
  reached = Promise.withResolvers();
  organization = await gateway.createOrganization(`left ${expect.getState().currentTestName}`.slice(0, 60));
  await organization.api.call('ProviderKeys/Create', {
    ...{ organizationId: organization.id, provider: 'assistant-provider', name: 'assistant' },
    ...storedKeys['assistant-provider'],
  });
  key = await organization.createKey();
});

afterAll(async () => {
  await gateway?.close();
  await vendor?.close();
});

const head = (type: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;

function write(socket: Socket, text: string): void {
  if (socket.writable) socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

/** Generates the whole response, even if the caller has left. */
async function playCompletion(socket: Socket, mine: Play): Promise<void> {
  socket.write(head('application/json'));
  await sleep(mine.ms);
  mine.tokens += generated;
  const message = { role: 'assistant', content: 'word '.repeat(generated) };
  const usage = { prompt_tokens: 10, completion_tokens: generated, total_tokens: generated + 10 };
  write(
    socket,
    JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
  );
  if (socket.writable) socket.end('0\r\n\r\n');
}

/** Generates all of it at once and reports its usage later, so that a caller may leave in between. */
async function playMessages(socket: Socket, mine: Play): Promise<void> {
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  socket.write(head('text/event-stream'));
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [] };
  const usage = { input_tokens: 10, output_tokens: 1 };
  mine.tokens += generated;
  const text = { type: 'text_delta', text: 'word '.repeat(generated) };
  write(
    socket,
    event('message_start', { message: { ...message, usage } }) +
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      event('content_block_delta', { index: 0, delta: text }) +
      event('content_block_stop', { index: 0 }),
  );
  await sleep(mine.ms);
  const delta = { stop_reason: 'end_turn', stop_sequence: null };
  write(socket, event('message_delta', { delta, usage: { output_tokens: generated } }) + event('message_stop', {}));
  if (socket.writable) socket.end('0\r\n\r\n');
}

interface Attack {
  readonly fields: object;
  readonly leaves: Pick<Spending, 'leavesAfterMs' | 'leavesWhen'>;
  /** Nano-dollars per output token. */
  readonly outputNano: number;
}

/** Callers that leave early, repeatedly. @returns the vendor's cost and the ledger's spend, in nano-dollars */
async function attack({ fields, leaves, outputNano }: Attack) {
  const amount = 200_000_000;
  const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '0.2' });
  const outcomes = new Map<string, number>();
  let calls = 0;
  const caller = async () => {
    // When the budget is spent, more calls find nothing new.
    for (let refused = 0; calls < 240 && refused < 5; calls++) {
      const outcome = await spend({ url: gateway.proxy.url, key: key.value, fields, ...leaves });
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === '402 budget_exceeded') refused++;
    }
  };
  await Promise.all([caller(), caller(), caller(), caller()]);
  const { spent } = await ledgerAtRest(organization, budget);
  const vendorNano = play.tokens * outputNano;
  const dollars = (nano: number) => `$${(nano / 1e9).toFixed(3)}`;
  console.log(
    `${calls} calls left early under a budget of $0.20: the vendor generated ${dollars(vendorNano)}, the ledger contains ${dollars(spent)}`,
    Object.fromEntries(outcomes),
  );
  return { amount, spent, vendorNano, reservation: (ceiling + 1000) * outputNano };
}

describe('hanging up in a loop cannot exceed a budget', () => {
  it('with responses that are not streamed', async () => {
    const { amount, spent, vendorNano, reservation } = await attack({
      fields: whole,
      leaves: { leavesAfterMs: 60 },
      outputNano: 10_000,
    });
    expect(vendorNano).toBeLessThanOrEqual(amount + reservation);
    // All responses were read on, so the charge equals the generated output plus the prompts.
    expect(spent).toBeGreaterThanOrEqual(vendorNano);
  });

  it('with streams that are left before their usage is reported', async () => {
    const { amount, spent, vendorNano, reservation } = await attack({
      fields: streamed,
      leaves: { leavesWhen: 'first bytes' },
      outputNano: 5_000,
    });
    expect(vendorNano).toBeLessThanOrEqual(amount + reservation);
    expect(spent).toBeGreaterThanOrEqual(0.95 * vendorNano);
  });
});

describe('a caller that leaves', () => {
  /** Leaves when its request has reached the vendor. */
  const leave = (requestId: string, { url = gateway.proxy.url, fields = whole as object } = {}) => {
    reached = Promise.withResolvers();
    return spend({ url, key: key.value, fields, requestId, leavesWhen: reached.promise });
  };
  const recorded = (requestId: string) => recordedRequest({ ...gateway, organization }, requestId);
  const logLine = (requestId: string) =>
    until(
      () =>
        gateway.logs.find((line) => line.includes(`"request_id":"${requestId}"`) && line.includes('"msg":"request"')),
      {
        what: `the log line of ${requestId}`,
      },
    );

  it('is charged the cost of its response, once, and its latency is the time until it left', async () => {
    expect(await leave('left-1')).toBe('broken');
    expect(await recorded('left-1')).toMatchObject({
      status: 499,
      estimated: false,
      completionTokens: generated,
    });
    const line = JSON.parse(await logLine('left-1'));
    expect(line).toMatchObject({ status: 499, error_code: 'client_left', completion_tokens: generated });
    expect(line.duration_ms).toBeLessThan(play.ms);
    expect(line.read_on_ms).toBeGreaterThan(play.ms / 2);
    expect(
      (await recordedRequests({ ...gateway, organization })).filter(({ requestId }) => requestId === 'left-1'),
    ).toHaveLength(1);
  });

  it('keeps its slot until the response has ended', async () => {
    const limit = { kind: 'LIMIT_KIND_CONCURRENT_REQUESTS', count: '1' };
    const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: key.id };
    await organization.api.call('Limits/Create', { organizationId: organization.id, subject, ...limit });
    play.ms = 600;
    await leave('slot-1');
    expect(await spend({ url: gateway.proxy.url, key: key.value, fields: whole })).toBe(
      '429 concurrency_limit_exceeded',
    );
    await recorded('slot-1');
    expect(await spend({ url: gateway.proxy.url, key: key.value, fields: whole })).toBe('200');
  });

  it('is read on for a limited time, and then its reservation is charged', async () => {
    play.ms = 30_000;
    await leave('long-1');
    const row = await recorded('long-1');
    expect(row).toMatchObject({ status: 499, estimated: true, estimateReason: 'timed_out' });
    expect(costOf(row)).toBeGreaterThanOrEqual(ceiling * 10_000);
    await until(() => vendor.open() === 0, { what: 'the connection to the vendor to be closed' });
  });

  it('is charged its reservation when there is no room to read on', async () => {
    const crowded = await gateway.startProxy({ GATEWAY_READ_ON_MAX: '0' });
    await leave('room-1', { url: crowded.url });
    expect(await recorded('room-1')).toMatchObject({
      estimated: true,
      estimateReason: 'not_read',
      status: 499,
    });
  });

  it('of a stream is estimated at a vendor that stops, and charged its real cost if the organization reads on', async () => {
    play.ms = 1000;
    await leave('stream-1', { fields: streamed });
    expect(await recorded('stream-1')).toMatchObject({
      estimated: true,
      estimateReason: 'left',
      promptTokens: 10,
    });
    const { api, id } = organization;
    const settings = { cost: { hangUp: 'HANG_UP_READ' } };
    const changed = await api.call('Organizations/UpdateSettings', { id, settings });
    expect(changed.settings).toMatchObject({
      access: { callerProviderKeys: false },
      cost: { hangUp: 'HANG_UP_READ', unknownCost: 'UNKNOWN_COST_HOLD' },
      models: { aliases: { aliases: [] } },
    });
    await until(
      async () => {
        const requestId = `stream-${Math.random()}`;
        await leave(requestId, { fields: streamed });
        return !(await recorded(requestId)).estimated;
      },
      { what: 'the setting to be known to the proxy' },
    );
  });

  it('does not delay the end of the gateway beyond its grace', async () => {
    play.ms = 30_000;
    const proxy = await gateway.startProxy({ GATEWAY_DRAIN_GRACE: '6s', GATEWAY_READ_ON_SECONDS: '60' });
    await leave('end-1', { url: proxy.url });
    const from = performance.now();
    await proxy.drain();
    // Reading on is given up 5 s before the grace ends, and reported.
    expect(performance.now() - from).toBeLessThan(6000);
    expect(await recorded('end-1')).toMatchObject({ estimated: true, estimateReason: 'shutdown' });
  });
});

describe('a response that a guardrail blocks', () => {
  it('is returned at once, and charged its real cost', async () => {
    const { api, id } = organization;
    await api.call('Guardrails/Create', {
      ...{
        organizationId: id,
        name: 'words',
        stage: 'GUARDRAIL_STAGE_OUTPUT',
        action: 'GUARDRAIL_ACTION_BLOCK',
      },
      check: { words: { phrases: ['word word'] } },
    });
    await api.call('Organizations/UpdateSettings', { id, settings: { cost: { hangUp: 'HANG_UP_READ' } } });
    play.ms = 800;
    const requestId = 'blocked-1';
    const from = performance.now();
    expect(await spend({ url: gateway.proxy.url, key: key.value, fields: streamed, requestId })).toBe(
      '400 guardrail_blocked',
    );
    const responseMs = performance.now() - from;
    const row = await recordedRequest({ ...gateway, organization }, requestId);
    expect(row).toMatchObject({ status: 400, estimated: false, completionTokens: generated });
    expect(responseMs).toBeLessThan(performance.now() - from);
    expect(row.latencyMs).toBeLessThan(play.ms);
  });
});
