import { describe, expect, it } from 'vitest';
import { createBackground } from '../../../../common/background.ts';
import { type Decided, type DecisionSample, DecisionSamples } from '../../../../proxy/guardrails/decision-samples.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const decided: Decided = {
  guardrailId: 'guardrail-1',
  organizationId: 'organization-1',
  keyId: 'key-1',
  requestId: 'request-1',
  stage: 'input',
  decision: 'block',
};

function openSamples() {
  const time = new VirtualTime();
  const reports: (readonly DecisionSample[])[] = [];
  const failures: string[] = [];
  const control = { isDown: false };
  const samples = new DecisionSamples({
    client: {
      report: async (parsed) => {
        reports.push(parsed);
        if (control.isDown) throw new Error('down');
      },
    },
    ...{ clock: time, timers: time },
    background: createBackground({ log: silentLog, onFailure: (name) => failures.push(name) }),
  });
  const add = (fields: Partial<Decided> = {}) => samples.add({ ...decided, ...fields });
  return { time, reports, failures, control, samples, add };
}

const reported = (reports: readonly (readonly DecisionSample[])[]) => reports.flat().map(({ decisions }) => decisions);

describe('samples of guardrail decisions', () => {
  it('are reported within a second, with an id, a time and the fields of the decision, and nothing else', async () => {
    const { time, reports, add } = openSamples();
    add();
    const at = time.now();
    await time.advance(1_000);
    expect(reports).toEqual([[{ ...decided, id: expect.stringMatching(/^[\da-f-]{36}$/), at, decisions: 1 }]]);
    await time.advance(60_000);
    expect(reports.length).toBe(1);
  });

  it('are at most three of one kind in a minute; the next sample counts the decisions between', async () => {
    const { time, reports, add } = openSamples();
    await time.advance(60_000 - (time.monotonic() % 60_000));
    for (let i = 0; i < 10; i++) add();
    await time.advance(60_000);
    add();
    await time.advance(1_000);
    expect(reported(reports)).toEqual([1, 1, 1, 8]);
  });

  it('are counted by guardrail, stage and decision', async () => {
    const { time, reports, add } = openSamples();
    for (let i = 0; i < 4; i++) {
      add();
      add({ guardrailId: 'guardrail-2' });
      add({ stage: 'output' });
      add({ decision: 'redact' });
    }
    await time.advance(1_000);
    expect(reported(reports).length).toBe(12);
  });

  it('are reported in batches of a hundred', async () => {
    const { time, reports, add } = openSamples();
    for (let i = 0; i < 250; i++) add({ guardrailId: `guardrail-${i}` });
    await time.advance(10_000);
    expect(reports.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  it('are reported again unchanged after growing delays while the control plane is unreachable', async () => {
    const { time, reports, control, add } = openSamples();
    control.isDown = true;
    add();
    await time.advance(1_000 + 2_000 + 4_000);
    control.isDown = false;
    await time.advance(8_000);
    expect(reports.length).toBe(4);
    expect(new Set(reports.flat().map(({ id }) => id)).size).toBe(1);
    await time.advance(600_000);
    expect(reports.length).toBe(4);
  });

  it('are dropped after five tries, and later samples are reported', async () => {
    const { time, reports, failures, control, add } = openSamples();
    control.isDown = true;
    add();
    await time.advance(60_000);
    expect([reports.length, failures.length]).toEqual([5, 1]);
    control.isDown = false;
    add({ requestId: 'request-2' });
    await time.advance(10_000);
    expect(reports.at(-1)?.map(({ requestId }) => requestId)).toEqual(['request-2']);
  });

  it('wait up to a bound, and beyond it decisions are only counted', async () => {
    const { time, reports, control, add } = openSamples();
    control.isDown = true;
    for (let i = 0; i < 1_005; i++) add({ guardrailId: `guardrail-${i}` });
    control.isDown = false;
    await time.advance(60_000);
    expect(reported(reports).length).toBe(1_000);
    add({ guardrailId: 'guardrail-1004' });
    await time.advance(1_000);
    expect(reported(reports).at(-1)).toBe(2);
  });

  it('that wait are reported when the gateway stops, and none afterwards', async () => {
    const { time, reports, samples, control, add } = openSamples();
    add();
    control.isDown = true;
    await samples.close();
    expect(reports.length).toBe(1);
    await time.advance(60_000);
    expect(reports.length).toBe(1);
    await openSamples().samples.close();
  });
});
