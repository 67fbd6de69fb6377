// Tests the table of scripts/layers.ts: each forbidden import is refused in every form of import, and a similar allowed
// import is accepted.
import { describe, expect, it } from 'vitest';
import { circles, problemsOf, readTree, roomOf, violationsIn } from '../scripts/layers.ts';
import { projectRoot } from './support/process.ts';

const refused: readonly (readonly [file: string, specifier: string, rule: string])[] = [
  ['common/a.ts', '../proto/load.ts', 'common/ imports'],
  ['common/a.ts', '../proxy/errors.ts', 'common/ imports'],
  ['common/a.ts', '../control-plane/main.ts', 'common/ imports'],
  ['proto/a.ts', '../proxy/errors.ts', 'proto/ imports'],
  ['guardrails/a.ts', '../proxy/errors.ts', 'guardrails/ imports'],
  ['guardrails/a.ts', '../control-plane/main.ts', 'guardrails/ imports'],
  ['proxy/http/a.ts', '../../control-plane/store/store.ts', 'proxy/ imports'],
  ['control-plane/services/a.ts', '../../proxy/errors.ts', 'control-plane/ imports'],
  ['simulator/a.ts', '../proxy/errors.ts', 'simulator/ imports'],
  ['proxy/access/a.ts', '../../test/support/redis.ts', 'proxy/ imports'],
  ['control-plane/domain/a.ts', '../../quickstart/main.ts', 'control-plane/ imports'],
  ['injector/a.ts', '../control-plane/store/store.ts', 'injector/ imports'],
  ['injector/a.ts', '../proto/load.ts', 'injector/ imports'],
  ['injector/a.ts', '../gatewayctl/main.ts', 'injector/ imports'],
  ['keeper/a.ts', '../injector/labels.ts', 'keeper/ imports'],
  ['keeper/a.ts', '../proto/load.ts', 'keeper/ imports'],
  ['injector/a.ts', '../keeper/main.ts', 'injector/ imports'],
  ['keeper/a.ts', 'prom-client', 'is imported by'],
  ['keeper/authority/leaves.ts', '@peculiar/x509', 'is imported by'],
  ['gatewayctl/a.ts', '../control-plane/app.ts', 'gatewayctl/ imports'],
  ['gatewayctl/a.ts', '../proxy/errors.ts', 'gatewayctl/ imports'],
  ['gatewayctl/a.ts', '../quickstart/main.ts', 'gatewayctl/ imports'],
  ['gatewayctl/a.ts', '@grpc/grpc-js', 'is imported by'],
  ['gatewayctl/commands/a.ts', 'commander', 'is imported by'],
  ['control-plane/a.ts', 'commander', 'is imported by'],
  ['control-plane/services/a.ts', '../../injector/main.ts', 'control-plane/ imports'],
  ['proxy/http/a.ts', '../app.ts', 'app.ts constructs a whole plane'],
  ['proxy/http/a.ts', '../providers/gpt-provider.ts', 'a provider is the interface'],
  ['proxy/http/a.ts', '../providers/index.ts', 'a provider is the interface'],
  ['proxy/upstream/a.ts', '../formats/messages/read-stream.ts', 'a provider is the interface'],
  ['proxy/upstream/a.ts', '../providers/credentials/sigv4.ts', 'a provider is the interface'],
  ['proxy/conversation/a.ts', '../formats/format.ts', 'know no format'],
  ['proxy/conversation/a.ts', '../models/claude/thinking.ts', 'knows no family'],
  ['proxy/models/claude/a.ts', '../../formats/chat-completions/read-tools.ts', 'know no format'],
  ['proxy/formats/messages/a.ts', '../../providers/provider.ts', 'knows no provider'],
  ['proxy/formats/messages/a.ts', '../chat-completions/write-stream.ts', 'knows no other format'],
  ['proxy/formats/a.ts', './chat-completions/read-request.ts', 'knows none'],
  ['proxy/http/a.ts', '../formats/messages/read-stream.ts', 'a provider is the interface'],
  ['proxy/http/a.ts', 'undici', 'is imported by'],
  ['proxy/upstream/transport.ts', 'undici', 'is imported by'],
  ['proxy/http1/a.ts', '../errors.ts', 'knows nothing of gateways'],
  ['proxy/http1/a.ts', '../../common/json.ts', 'knows nothing of gateways'],
  ['proxy/formats/converse/a.ts', '@smithy/signature-v4', 'is imported by'],
  ['simulator/managed-cloud-models/a.ts', '@smithy/eventstream-codec', 'is imported by'],
  ['proxy/access/a.ts', 'ioredis', 'is imported by'],
  ['control-plane/services/a.ts', 'ioredis', 'is imported by'],
  ['proxy/http/a.ts', 'prom-client', 'is imported by'],
  ['injector/a.ts', 'prom-client', 'is imported by'],
  ['proxy/app.ts', 'pino', 'is imported by'],
  ['proxy/http/a.ts', '@grpc/grpc-js', 'is imported by'],
  ['control-plane/services/a.ts', '@grpc/grpc-js', 'is imported by'],
  ['control-plane/services/a.ts', '@grpc/proto-loader', 'is imported by'],
  ['control-plane/domain/a.ts', 'kysely', 'is imported by'],
  ['proxy/access/a.ts', 'pg', 'is imported by'],
  ['quickstart/a.ts', 'node:sqlite', 'is imported by'],
  ['guardrails/kinds/a.ts', 're2js', 'is imported by'],
  ['guardrails/kinds/a.ts', 'libphonenumber-js/max', 'is imported by'],
  ['gatewayctl/commands/a.ts', 'hyparquet', 'is imported by'],
  ['control-plane/reconciliation/a.ts', 'hyparquet', 'is imported by'],
  ['scripts/observability/a.ts', '@grafana/grafana-foundation-sdk/stat', 'is imported by'],
  ['proxy/http/a.ts', 'ibantools', 'is imported by'],
  ['control-plane/domain/a.ts', 'stdnum/lib/cjs/us/ssn.js', 'is imported by'],
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
  ['proxy/upstream/b.ts', '../providers/credentials/credential.ts'],
  ['proxy/upstream/b.ts', '../formats/format.ts'],
  ['proxy/formats/messages/b.ts', '../format.ts'],
  ['proxy/formats/messages/b.ts', '../../models/claude/thinking.ts'],
  ['proxy/formats/chat-completions/studio/b.ts', '../read-request.ts'],
  ['proxy/providers/b.ts', '../formats/messages/index.ts'],
  ['proxy/app.ts', './providers/index.ts'],
  ['proxy/upstream/transport.ts', '../http1/pool.ts'],
  ['proxy/http1/b.ts', './pool.ts'],
  ['proxy/providers/credentials/sigv4.ts', '@smithy/signature-v4'],
  ['proxy/formats/converse/frames.ts', '@smithy/eventstream-codec'],
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
  ['proxy/control-plane/client.ts', '@grpc/grpc-js'],
  ['control-plane/api/grpc-server.ts', '@grpc/grpc-js'],
  ['proto/package-definition.ts', '@grpc/proto-loader'],
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

describe('the layer rules', () => {
  it.each(refused)('refuse that %s imports %s', (file, specifier, rule) => {
    for (const write of forms) {
      expect(violationsIn(file, write(specifier))).toEqual([{ file, specifier, why: expect.stringContaining(rule) }]);
    }
  });

  it.each(allowed)('allow that %s imports %s', (file, specifier) => {
    for (const write of forms) expect(violationsIn(file, write(specifier))).toEqual([]);
  });

  it('refuse import cycles between files, through types too', () => {
    const tree = new Map([
      ['common/a.ts', "export { b as a } from './b.ts';"],
      ['common/b.ts', "export type B = import('./c.ts').C;"],
      ['common/c.ts', "import type { A } from './a.ts';"],
      ['common/d.ts', "import { a } from './a.ts';"],
    ]);
    expect(circles(tree, (file) => file)).toEqual([['common/a.ts', 'common/b.ts', 'common/c.ts']]);
  });

  it('refuse import cycles between folders, even where no files form a cycle', () => {
    const tree = new Map([
      ['proxy/a/one.ts', "import { x } from '../b/one.ts';"],
      ['proxy/b/one.ts', ''],
      ['proxy/b/two.ts', "import { x } from '../a/two.ts';"],
      ['proxy/a/two.ts', "import { x } from '../errors.ts';"],
      ['proxy/errors.ts', ''],
    ]);
    expect(circles(tree, (file) => file)).toEqual([]);
    expect(circles(tree, roomOf)).toEqual([['proxy/a', 'proxy/b']]);
  });

  it('the repository follows the layer rules', () => {
    expect(problemsOf(readTree(projectRoot))).toEqual([]);
  });
});
