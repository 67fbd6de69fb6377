// Guardrails are compiled and tried in a separate worker: a job that takes too long is ended and refused, its
// organization is charged for it, and the next job runs.
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { type GuardrailCheck, guardrailCheck } from '../../../control-plane/domain/guardrail-check.ts';
import { createGuardrailWork, type GuardrailWork } from '../../../control-plane/guardrails/guardrail-work.ts';
import { createShares, type OtherRates } from '../../../control-plane/rpc/shares.ts';
import type { GuardrailCheck__Output } from '../../../proto/generated/gateway/v1/GuardrailCheck.ts';
import { silentLog } from '../../support/silent-log.ts';

let work: GuardrailWork;
afterEach(() => work.close());

function open(options: { readonly jobMs?: number; readonly rates?: OtherRates } = {}): void {
  const { rates, ...given } = options;
  work = createGuardrailWork({
    ...{ shares: createShares(systemClock, rates), clock: systemClock, log: silentLog, ...given },
  });
}

const owner = (organization: string) => ({ organization, key: 'k' });

function patterns(...list: string[]): GuardrailCheck {
  const read = guardrailCheck({ kind: 'pattern', pattern: { patterns: list } } as GuardrailCheck__Output);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.value;
}
const simple = patterns('rosebud [0-9]+');
const wrong = patterns('rosebud(');

describe('the worker of guardrails', () => {
  it('compiles valid guardrails, and reports the problems of invalid ones', async () => {
    open();
    expect(await work.compile(owner('a'), simple)).toEqual([]);
    expect(await work.compile(owner('a'), wrong)).toMatchObject([{ at: expect.stringContaining('.pattern') }]);
  });

  it('is ended when a job takes too long, and the next job gets a new one', async () => {
    open({ jobMs: 0 });
    const [tooMuch] = await work.compile(owner('a'), simple);
    expect(tooMuch).toMatchObject({
      at: '.pattern',
      description: expect.stringContaining('takes more than'),
    });
    expect(await work.compile(owner('b'), simple)).toHaveLength(1);
  });

  it('leaves the event loop free while it compiles', async () => {
    open();
    await work.compile(owner('a'), simple);
    const hostile = patterns(...Array.from({ length: 20 }, (_, n) => `\\pL{${480 + n}}z`));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const begun = performance.now();
    const problems = await work.compile(owner('a'), hostile);
    const took = performance.now() - begun;
    clearInterval(timer);
    console.log(`compiled in ${took.toFixed(0)} ms, the event loop at most ${longest.toFixed(0)} ms late`);
    expect(problems.length).toBeGreaterThan(0);
    expect(longest).toBeLessThan(took / 2);
  });

  it('refuses an organization that has used up its time, and serves the others', async () => {
    open({ rates: { guardrail_time: { perMinute: 1, burst: 1 } } });
    await work.compile(owner('a'), patterns('\\pL{400}z'));
    await expect(work.compile(owner('a'), simple)).rejects.toMatchObject({ reason: 'too_many_requests' });
    expect(await work.compile(owner('b'), simple)).toEqual([]);
  });

  it('accepts no job once it is closed', async () => {
    open();
    await work.close();
    await expect(work.compile(owner('a'), simple)).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
