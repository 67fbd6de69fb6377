// docs/gatewayctl.md: its first session works unchanged, and every command line in it and in the other pages parses.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { tree } from '../../../gatewayctl/commands/index.ts';
import { parseCommandLine } from '../../../gatewayctl/program.ts';
import { programOf } from '../../support/gateway.ts';
import { words } from '../../support/gatewayctl.ts';
import { startOperatorsPlane } from '../../support/operators.ts';
import { projectRoot, startProcess } from '../../support/process.ts';

const blocksOf = (page: string) =>
  [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const blocks = blocksOf('docs/gatewayctl.md');

describe('docs/gatewayctl.md', () => {
  it('has a first session that works, and commands that work after it', async () => {
    const plane = await startOperatorsPlane({ bootstrapToken: createCredential('bootstrap') });
    const directory = mkdtempSync(join(tmpdir(), 'gatewayctl-docs-'));
    writeFileSync(join(directory, 'bootstrap-token'), plane.bootstrapToken);
    writeFileSync(join(directory, 'provider-secret'), `made-up-${'secret'.repeat(4)}`);
    const block = (part: string) => blocks.find((one) => one.includes(part)) ?? '';
    const script = [
      `gatewayctl() { '${process.execPath}' '${await programOf('gatewayctl/main.ts')}' "$@"; }`,
      // The processing of responses is not gatewayctl's.
      'jq() { cat > /dev/null; }',
      block('gatewayctl bootstrap').replaceAll('127.0.0.1:50051', `127.0.0.1:${plane.plane.grpcPort}`),
      'gatewayctl context use acme',
      block('gatewayctl keys rotate'),
    ].join('\n');
    const child = startProcess('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env: { XDG_CONFIG_HOME: directory },
    });
    expect([await child.exited, child.stderr()]).toEqual([0, expect.stringContaining('as Olga Owner (owner)')]);
    expect(child.stdout()).toMatch(/^checkout +\S+ +\w{4} +ai-system +active/m);
    expect(child.stdout()).toMatch(/^mine +\S+ +\w{4} +person +active/m);
    expect(readFileSync(join(directory, 'checkout-key'), 'utf8')).toMatch(/^sk-svc-\w+\n$/);
    rmSync(directory, { recursive: true });
    await plane.close();
    // A process for each of its lines.
  });

  const others = ['reconcile', 'budgets', 'guardrails', 'kubernetes', 'backup', 'runbook', 'clients', 'routing'];
  const lines = [...blocks, ...others.flatMap((page) => blocksOf(`docs/${page}.md`))].flatMap((block) =>
    [...block.matchAll(/(?<=^|\()gatewayctl ([^|)\n#]+)/gm)].map(([, line = '']) => line.trim()),
  );

  it.each(lines)('and other pages have a command line that parses: %s', async (line) => {
    const printed: string[] = [];
    const output = {
      out: (text: string) => void printed.push(text),
      err: (text: string) => void printed.push(text),
    };
    const parsed = await parseCommandLine(words(line), tree, output);
    expect(parsed.command.about, printed.join('')).not.toBe('');
  });
});
