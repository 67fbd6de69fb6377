// Every recording of a real API server is used by a test. An unused one proves nothing and becomes outdated unnoticed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../support/process.ts';

const integration = join(projectRoot, 'test/integration/keeper');
const readers = [
  ...readdirSync(integration)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(integration, name)),
  ...['recorded-api.ts', 'keepers.ts'].map((name) => join(projectRoot, 'test/support', name)),
].map((file) => readFileSync(file, 'utf8'));
const recordings = readdirSync(join(integration, 'recorded')).map((name) => name.replace(/\.json$/, ''));

it('there are recordings of an API server', () => {
  expect(recordings.length).toBeGreaterThan(20);
});

it.each(recordings)('the recording %s is used by a test', (name) => {
  expect(readers.some((text) => text.includes(`'${name}'`))).toBe(true);
});
