// The rules of biome.json about who may import what (lint/*.grit) are shown to bite: each forbidden import is written into
// an empty copy of the project's folders, and so is its allowed neighbour.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from './support/process.ts';

const refused: readonly (readonly [file: string, specifier: string, rule: string])[] = [
  ['common/a.ts', '../proto/load.ts', 'common/ is plumbing'],
  ['common/a.ts', '../proxy/errors.ts', 'No import from proxy/'],
  ['common/a.ts', '../control-plane/main.ts', 'No import from control-plane/'],
  ['proto/a.ts', '../proxy/errors.ts', 'No import from proxy/'],
  ['guardrails/a.ts', '../proxy/errors.ts', 'No import from proxy/'],
  ['guardrails/a.ts', '../control-plane/main.ts', 'No import from control-plane/'],
  ['proxy/http/a.ts', '../../control-plane/store/store.ts', 'No import from control-plane/'],
  ['control-plane/services/a.ts', '../../proxy/errors.ts', 'No import from proxy/'],
  ['simulator/a.ts', '../proxy/errors.ts', 'No import from proxy/'],
  ['proxy/access/a.ts', '../../test/support/redis.ts', 'nothing from what surrounds them'],
  ['control-plane/domain/a.ts', '../../quickstart/main.ts', 'nothing from what surrounds them'],
  ['injector/a.ts', '../control-plane/store/store.ts', 'No import from control-plane/'],
  ['injector/a.ts', '../proto/load.ts', 'common/ is plumbing'],
  ['injector/a.ts', '../gatewayctl/main.ts', 'programs of their own'],
  ['keeper/a.ts', '../injector/labels.ts', 'programs of their own'],
  ['keeper/a.ts', '../proto/load.ts', 'common/ is plumbing'],
  ['injector/a.ts', '../keeper/main.ts', 'programs of their own'],
  ['keeper/a.ts', 'prom-client', 'prom-client is imported by'],
  ['keeper/authority/leaves.ts', '@peculiar/x509', 'Certificates are signed by'],
  ['gatewayctl/a.ts', '../control-plane/app.ts', 'No import from control-plane/'],
  ['gatewayctl/a.ts', '../proxy/errors.ts', 'No import from proxy/'],
  ['gatewayctl/a.ts', '../quickstart/main.ts', 'nothing from what surrounds them'],
  ['gatewayctl/a.ts', '@grpc/grpc-js', 'gRPC is spoken by'],
  ['gatewayctl/commands/a.ts', 'commander', 'commander is imported by'],
  ['control-plane/a.ts', 'commander', 'commander is imported by'],
  ['control-plane/services/a.ts', '../../injector/main.ts', 'programs of their own'],
  ['proxy/http/a.ts', '../app.ts', 'app.ts constructs a whole plane'],
  ['proxy/http/a.ts', '../providers/gpt-provider/stream.ts', 'a provider is the interface'],
  ['proxy/http/a.ts', '../providers/index.ts', 'a provider is the interface'],
  ['proxy/http/a.ts', 'undici', 'undici is imported by'],
  ['proxy/upstream/targets.ts', 'undici', 'undici is imported by'],
  ['proxy/providers/managed-cloud-models/a.ts', '@smithy/signature-v4', '@smithy/… is imported by'],
  ['simulator/managed-cloud-models/a.ts', '@smithy/eventstream-codec', '@smithy/… is imported by'],
  ['proxy/access/a.ts', 'ioredis', 'ioredis is imported by'],
  ['control-plane/services/a.ts', 'ioredis', 'ioredis is imported by'],
  ['proxy/http/a.ts', 'prom-client', 'prom-client is imported by'],
  ['injector/a.ts', 'prom-client', 'prom-client is imported by'],
  ['proxy/app.ts', 'pino', 'pino is imported by'],
  ['proxy/http/a.ts', '@grpc/grpc-js', 'gRPC is spoken by'],
  ['control-plane/services/a.ts', '@grpc/grpc-js', 'gRPC is spoken by'],
  ['control-plane/services/a.ts', '@grpc/proto-loader', 'The contract is loaded by'],
  ['control-plane/domain/a.ts', 'kysely', 'The database is reached by'],
  ['proxy/access/a.ts', 'pg', 'The database is reached by'],
  ['quickstart/a.ts', 'node:sqlite', 'The database is reached by'],
  ['guardrails/kinds/a.ts', 're2js', 're2js is imported by'],
  ['guardrails/kinds/a.ts', 'libphonenumber-js/max', 'Numbers of persons are judged by'],
  ['gatewayctl/commands/a.ts', 'hyparquet', 'hyparquet is imported by'],
  ['control-plane/reconciliation/a.ts', 'hyparquet', 'hyparquet is imported by'],
  ['scripts/observability/a.ts', '@grafana/grafana-foundation-sdk/stat', 'Dashboards are made by'],
  ['proxy/http/a.ts', 'ibantools', 'Numbers of persons are judged by'],
  ['control-plane/domain/a.ts', 'stdnum/lib/cjs/us/ssn.js', 'Numbers of persons are judged by'],
];

const allowed: readonly (readonly [file: string, specifier: string])[] = [
  ['proto/b.ts', '../common/secret.ts'],
  ['proxy/b.ts', '../proto/load.ts'],
  ['control-plane/b.ts', '../proto/load.ts'],
  ['injector/b.ts', '../common/settings.ts'],
  ['gatewayctl/b.ts', '../proto/load.ts'],
  ['gatewayctl/client.ts', '@grpc/grpc-js'],
  ['gatewayctl/program.ts', 'commander'],
  ['gatewayctl/bills/parquet.ts', 'hyparquet'],
  ['proxy/run.ts', './app.ts'],
  ['injector/run.ts', './app.ts'],
  ['quickstart/b.ts', '../proxy/app.ts'],
  ['quickstart/c.ts', '../control-plane/app.ts'],
  ['test/integration/b.test.ts', '../../proxy/app.ts'],
  ['proxy/http/b.ts', '../providers/provider.ts'],
  ['proxy/app.ts', './providers/index.ts'],
  ['proxy/access/b.ts', './control-plane-client.ts'],
  ['proxy/upstream/transport.ts', 'undici'],
  ['proxy/providers/managed-cloud-models/signing.ts', '@smithy/signature-v4'],
  ['proxy/providers/managed-cloud-models/frames.ts', '@smithy/eventstream-codec'],
  ['simulator/managed-cloud-models/frames.ts', '@smithy/eventstream-codec'],
  ['proxy/redis/connection.ts', 'ioredis'],
  ['proxy/telemetry/metrics.ts', 'prom-client'],
  ['control-plane/telemetry/metrics.ts', 'prom-client'],
  ['injector/telemetry/metrics.ts', 'prom-client'],
  ['keeper/b.ts', '../common/settings.ts'],
  ['keeper/run.ts', './app.ts'],
  ['keeper/telemetry/metrics.ts', 'prom-client'],
  ['keeper/authority/x509.ts', '@peculiar/x509'],
  ['scripts/observability/grafana.ts', '@grafana/grafana-foundation-sdk/stat'],
  ['common/logger.ts', 'pino'],
  ['proxy/access/control-plane-client.ts', '@grpc/grpc-js'],
  ['control-plane/grpc-server.ts', '@grpc/grpc-js'],
  ['proto/load.ts', '@grpc/proto-loader'],
  ['control-plane/store/b.ts', 'kysely'],
  ['control-plane/ledger/b.ts', 'kysely'],
  ['control-plane/reconciliation/b.ts', 'kysely'],
  ['control-plane/usage/b.ts', 'kysely'],
  ['control-plane/webhooks/b.ts', 'kysely'],
  ['guardrails/kinds/pattern/expressions.ts', 're2js'],
  ['guardrails/kinds/personal-data/b.ts', 'ibantools'],
];

const forms: readonly ((specifier: string) => string)[] = [
  (specifier) => `import { x } from '${specifier}';\nconsole.log(x);\n`,
  (specifier) => `import type { X } from '${specifier}';\nexport type Y = X;\n`,
  (specifier) => `export * from '${specifier}';\n`,
  (specifier) => `console.log(await import('${specifier}'));\n`,
  (specifier) => `export type Y = import('${specifier}').X;\n`,
];

interface Finding {
  readonly category: string;
  readonly message: string;
  readonly location: { readonly path: string };
}

const testFile = (file: string, row: number, form: number) => join(dirname(file), `row-${row}-${form}.ts`);
let copy: string;
let findings: readonly Finding[];

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'gateway-layers-'));
  for (const name of ['biome.json', 'lint', '.gitignore']) {
    cpSync(join(projectRoot, name), join(copy, name), { recursive: true });
  }
  for (const [row, [file, specifier]] of refused.entries()) {
    for (const [form, write] of forms.entries()) put(testFile(file, row, form), write(specifier));
  }
  for (const [file, specifier] of allowed) put(file, forms.map((write) => write(specifier)).join(''));
  put('common/cycle-a.ts', "export { b as a } from './cycle-b.ts';\n");
  put('common/cycle-b.ts', "export { a as b } from './cycle-a.ts';\n");
  findings = await lint();
});
afterAll(() => rmSync(copy, { recursive: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

function lint(): Promise<readonly Finding[]> {
  const biome = join(projectRoot, 'node_modules/.bin/biome');
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
  return new Promise((resolve, reject) => {
    execFile(biome, args, { cwd: copy, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      if (!stdout.startsWith('{')) return reject(new Error(`biome gave no report: ${stderr}`));
      resolve((JSON.parse(stdout) as { diagnostics: readonly Finding[] }).diagnostics);
    });
  });
}

describe('layers', () => {
  it.each(refused.map((row, index) => [...row, index] as const))('%s may not import %s', (...row) => {
    const [file, , rule, index] = row;
    for (const form of forms.keys()) {
      const path = testFile(file, index, form);
      const messages = findings
        .filter((finding) => finding.location.path === path)
        .map(({ message }) => message);
      expect(messages, `form ${form}`).toContainEqual(expect.stringContaining(rule));
    }
  });

  it.each(allowed)('%s may import %s', (file) => {
    const refusals = findings.filter(
      ({ category, location }) => category === 'plugin' && location.path === file,
    );
    expect(refusals).toEqual([]);
  });

  it('refuses import cycles', () => {
    const cycles = findings.filter(({ category }) => category === 'lint/suspicious/noImportCycles');
    expect(cycles.map(({ location }) => location.path)).toEqual(['common/cycle-a.ts', 'common/cycle-b.ts']);
  });
});
