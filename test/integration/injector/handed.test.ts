// The keeper's hand-over to the injector: the sidecar's image and the sizes of namespaces, in files that appear and
// change beside it.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeSizes, handOverFiles } from '../../../common/hand-over.ts';
import { createLogger } from '../../../common/logger.ts';
import { applyPatch, sidecarOf } from '../../support/injection.ts';
import { until } from '../../support/process.ts';
import { responseIn, reviewOf, startTestInjector, type TestInjector } from '../../support/reviews.ts';

let folder: string;
let started: TestInjector;
const lines: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-handed-'));
  lines.length = 0;
});
afterEach(async () => {
  await started.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  const log = createLogger({
    ...{ name: 'injector', level: 'error', stream: { write: (line: string) => lines.push(line) } },
  });
  const env = { GATEWAY_INJECTOR_IMAGE: '', GATEWAY_INJECTOR_HANDED_DIR: folder };
  started = await startTestInjector({ env, log });
}

/** Writes a file as the keeper does. */
function hand(file: keyof typeof handOverFiles, text: string): void {
  writeFileSync(join(folder, 'new'), text);
  renameSync(join(folder, 'new'), join(folder, handOverFiles[file]));
}

async function readiness(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${started.injector.adminPort}/readyz`);
  return `${response.status} ${(await response.text()).trim()}`;
}

const review = reviewOf('deployment');
const ask = async () => responseIn(await started.ask(review));
const sidecar = async () => sidecarOf(applyPatch(review.request.object, (await ask()).patch));
const eventually = (what: string, is: () => Promise<boolean>) => until(is, { what });

describe('the sidecar’s image', () => {
  it('is waited for: without it the injector is not ready, and refuses pods with the reason', async () => {
    await start();
    expect(await readiness()).toBe('503 not ready: the keeper has not handed over the sidecar’s image yet');
    expect((await ask()).status?.message).toContain('the keeper has not handed over the sidecar’s image yet');
    hand('image', 'images.example/proxy:9.9.9\n');
    await eventually('readiness', async () => (await readiness()) === '200 ok');
    expect((await sidecar()).image).toBe('images.example/proxy:9.9.9');
  });

  it('is refused if it is the placeholder, with its name in readiness and to the pod’s author', async () => {
    hand('image', 'registry.invalid/model-gateway/proxy:0.1.0');
    await start();
    const problem = 'the sidecar’s image is the placeholder registry.invalid/model-gateway/proxy:0.1.0: name';
    expect(await readiness()).toContain(`503 not ready: ${problem}`);
    expect((await ask()).status?.message).toContain(problem);
  });

  it('is not replaced by an invalid one: the last valid one stays', async () => {
    hand('image', 'images.example/proxy:1');
    await start();
    hand('image', 'images.example/proxy');
    await eventually('a word in the log', async () => lines.join('').includes('the last good one is kept'));
    expect((await sidecar()).image).toBe('images.example/proxy:1');
    hand('image', 'images.example/proxy:2');
    await eventually('the next one', async () => (await sidecar()).image === 'images.example/proxy:2');
  });
});

describe('the sizes that namespaces declare', () => {
  const limited = new Map([
    [
      'team-a',
      {
        annotations: { 'model-gateway.io/memory-limit': '300Mi' },
        limits: [{ type: 'Container', min: {}, max: { cpu: '500m' }, maxLimitRequestRatio: {} } as const],
      },
    ],
  ]);

  it('apply from the next review on, in that namespace alone', async () => {
    hand('image', 'images.example/proxy:1');
    await start();
    expect((await sidecar()).resources).toMatchObject({ limits: { cpu: '1', memory: '256Mi' } });
    hand('namespaces', encodeSizes(limited));
    await eventually('the sizes', async () => JSON.stringify((await sidecar()).resources).includes('300Mi'));
    expect((await sidecar()).resources).toMatchObject({ limits: { cpu: '500m', memory: '300Mi' } });
    const elsewhere = { ...review, request: { ...review.request, namespace: 'team-b' } };
    const { patch } = responseIn(await started.ask(elsewhere));
    expect(JSON.stringify(patch)).toContain('"memory":"256Mi"');
  });

  it.each([
    '{}',
    '{"namespaces": []}',
    '{"namespaces": {"a": {}}}',
    '{"namespaces": {"a": {"annotations": {}, "limits": [{"type": "Node"}]}}}',
    '{"namespaces": {"a": {"annotations": {"b": 1}, "limits": []}}}',
    'half a f',
  ])('are ignored in an invalid form: %s', async (text) => {
    hand('image', 'images.example/proxy:1');
    hand('namespaces', encodeSizes(limited));
    await start();
    hand('namespaces', text);
    await eventually('a word in the log', async () => lines.join('').includes('the last good one is kept'));
    expect((await sidecar()).resources).toMatchObject({ limits: { cpu: '500m' } });
  });
});
