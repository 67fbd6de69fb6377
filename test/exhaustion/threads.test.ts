// No thread can be started, as where a container's limit on processes is reached: texts that a worker has to scan are told that nobody has
// looked, all else is served, and workers start by themselves when there are threads again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/process.ts';
import { metric, readiness } from '../support/telemetry.ts';
import { ask, limit, type Program, startMs, startWorld, type World } from './world.ts';

/** Root is exempt from the limit. */
const asNobody =
  process.getuid?.() === 0
    ? [
        ...['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--inh-caps=-all'],
        ...['--pdeathsig', 'KILL'],
      ]
    : [];

let world: World;
let proxy: Program;
let key: string;
beforeAll(async () => {
  world = await startWorld();
  proxy = await world.startProxy({}, { within: asNobody });
  key = (await world.organization.createKey()).value;
}, startMs);
afterAll(() => world?.close());

/** By what it may cost, a text for a worker; in fact it costs little. */
const long = { messages: [{ role: 'user', content: 'b'.repeat(60_000) }] };

it('texts that need a worker are told so, all else is served, and workers start when they can', async () => {
  const { api, id } = world.organization;
  expect(await ask(proxy, key)).toBe('200');
  const before = limit(proxy, 'nproc', 1);
  await api.call('Guardrails/Create', {
    ...{ organizationId: id, name: 'costly', stage: 'GUARDRAIL_STAGE_INPUT' },
    ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { pattern: { patterns: ['(.*a){20}'] } } },
  });
  const decided = (decision: string) =>
    metric(proxy, 'gateway_guardrail_decisions_total', { decision });
  // The one worker that was started ahead is at work; the next one cannot be started.
  const outcomes = new Set<string>();
  const lost = () =>
    proxy.lines().filter(({ msg }) => msg.startsWith('a worker of guardrails cannot be started'));
  await until(
    async () => {
      for (const outcome of await Promise.all(Array.from({ length: 3 }, () => ask(proxy, key, long))))
        outcomes.add(outcome);
      return (await decided('pass')) > 0 && lost().length > 0;
    },
    { what: 'a worker that could not be started', timeoutMs: 60_000 },
  );
  expect([...outcomes].filter((outcome) => !['200', '503 guardrail_unavailable'].includes(outcome))).toEqual([]);
  expect(await ask(proxy, key)).toBe('200');
  expect(await readiness(proxy)).toBe('ok');
  expect(JSON.stringify(lost()[0])).toContain('ERR_WORKER_INIT_FAILED');
  const seen = lost().length;
  limit(proxy, 'nproc', before);
  await until(async () => (await ask(proxy, key, long)) === '200', { timeoutMs: 60_000 });
  console.log(seen, lost().length, [...outcomes], await decided('unavailable'));
}, startMs);
