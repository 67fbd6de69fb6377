// The committed renderings match their sources: compared by hash everywhere, and rendered again where a suitable
// kubectl is installed.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  committedRendering,
  minorOf,
  render,
  renderFolder,
  renderingHash,
  renderingNames,
  whatIsMissing,
} from '../../scripts/render.ts';
import { parseObjects } from '../support/manifests/objects.ts';

describe.each(renderingNames)('the rendering %s', (name) => {
  test('has the hash of these sources and no change by hand: else run `node scripts/render.ts`', () => {
    const { hash, body } = committedRendering(name);
    expect(renderingHash(body)).toBe(hash);
  });

  test("equals kubectl's rendering, or the message says that kubectl is missing or too old", () => {
    const missing = whatIsMissing();
    if (missing === undefined) {
      // Compares objects, not text: versions of Kustomize break lines differently.
      expect(parseObjects(render(name))).toEqual(parseObjects(committedRendering(name).body));
    } else expect(missing).toMatch(/^kubectl 1\.27 or later is needed; /);
  });
});

test('one line of an installation names the registry of the egress gateway’s image and the sidecar’s', () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gateway-installation-'));
  try {
    const overlay = join(import.meta.dirname, '../../deploy/overlays/sidecar');
    const installation = {
      resources: [relative(folder, overlay)],
      images: [{ name: 'registry.invalid/model-gateway/proxy', newName: 'images.example/proxy', newTag: '9.9.9' }],
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(installation));
    const missing = whatIsMissing();
    if (missing === undefined) {
      const text = renderFolder(folder);
      expect(text.match(/images\.example\/proxy:9\.9\.9/g)).toHaveLength(2);
      expect(text).not.toContain('model-gateway/proxy:');
    } else expect(missing).toMatch(/^kubectl 1\.27 or later is needed; /);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a changed rendering has another hash', () => {
  const { hash, body } = committedRendering('sidecar');
  expect(renderingHash(body.replace('"failurePolicy":"Fail"', '"failurePolicy":"Ignore"'))).not.toBe(hash);
});

test.each([
  ['{"clientVersion": {"gitVersion": "v1.32.4-dispatcher"}}', 32],
  ['{"clientVersion":{"minor":"20","gitVersion":"v1.20.2"}}', 20],
  ['{"clientVersion":{}}', 0],
  ['', 0],
])('the version of kubectl is read from %j', (reported, minor) => {
  expect(minorOf(reported)).toBe(minor);
});

test('a document that is no object of Kubernetes is refused', () => {
  expect(() => parseObjects('kind: Pod\n---\nnothing')).toThrow('not an object: {"kind":"Pod"}');
  expect(() => parseObjects('kind: [')).toThrow();
});
