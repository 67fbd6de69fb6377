// Scripts that were written by an earlier docs/gatewayctl.md: every command line of it parses, and its session runs
// against a live control plane.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tree } from '../../../gatewayctl/commands/index.ts';
import { ParserEnd, parseCommandLine } from '../../../gatewayctl/program.ts';
import { createGatewayctl, type Gatewayctl, words } from '../../support/gatewayctl.ts';
import { oldCommandLines, oldCommands } from '../../support/old-command-lines.ts';
import { type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';

/** Only the resource of a line: a parser of all commands takes long. */
const treeOf = (resource = '') => ({ ...tree, resources: tree.resources.filter(({ name }) => name === resource) });
const silent = { out: () => undefined, err: () => undefined };

it.each(oldCommandLines)('%s still parses, without a warning', async (line) => {
  const [resource = '', name = ''] = words(line);
  const { command, warning } = await parseCommandLine(words(line), treeOf(resource), silent);
  const own = tree.resources.find((one) => one.name === resource)?.commands[name] ?? tree.commands[resource];
  expect(command).toBe(own);
  expect(warning).toBeUndefined();
});

it.each(oldCommands)('%s is still a command', async (command) => {
  const printed: string[] = [];
  const plain = words(command.replace(/ [<[].*$/, ''));
  const output = { out: (text: string) => void printed.push(text), err: () => undefined };
  await expect(parseCommandLine([...plain, '--help'], treeOf(plain[0]), output)).rejects.toBeInstanceOf(ParserEnd);
  const names = [...command.matchAll(/<([^>]+)>/g)].map(([, name = '']) => name);
  const usage = printed.join('').split('\n')[0];
  expect(usage).toContain(`gatewayctl ${plain.join(' ')}`);
  // An argument may have become optional.
  for (const name of names) expect(usage).toMatch(new RegExp(`[<[]${name}[>\\]]`));
});

describe('the session of that time', () => {
  let plane: OperatorsPlane;
  let ctl: Gatewayctl;
  let directory: string;

  beforeAll(async () => {
    plane = await startOperatorsPlane();
    ctl = createGatewayctl();
    directory = mkdtempSync(join(tmpdir(), 'gatewayctl-old-'));
    writeFileSync(join(directory, 'ca.crt'), 'authorities');
  });
  afterAll(async () => {
    ctl.remove();
    rmSync(directory, { recursive: true });
    await plane.close();
  });

  it('runs from its first line to its last', async () => {
    const secret = `made-up-${'secret'.repeat(4)}`;
    const outputs = new Map<string, string>();
    const ran: string[] = [];
    for (const line of oldCommandLines) {
      const here = line
        .replace('127.0.0.1:50051', `127.0.0.1:${plane.plane.grpcPort}`)
        .replace('ca.crt', join(directory, 'ca.crt'))
        .replace('usage.jsonl', join(directory, 'usage.jsonl'));
      const [, from = ''] = / < (\S+)/.exec(line) ?? [];
      const inputs: Record<string, string> = { 'bootstrap-token': plane.bootstrapToken, 'provider-secret': secret };
      const input = inputs[from] ?? outputs.get(from) ?? '';
      // The page returns to the organization before its later blocks.
      if (line.startsWith('keys rotate')) await ctl.expect('context use acme');
      if (line.startsWith('people update')) await ctl.expect('people create "Ada Admin" --role admin');
      const { code, out, err } = await ctl.run(here, { input });
      expect([line, code, err]).toEqual([line, 0, expect.any(String)]);
      outputs.set(/ > (\S+)/.exec(line)?.[1] ?? '', out);
      ran.push(line);
    }
    expect(ran).toEqual(oldCommandLines);
    expect(outputs.get('checkout-key')).toMatch(/^sk-svc-\w+\n$/);
  });

  it('may name the organization by -o for this release, with a warning that has the new spelling', async () => {
    await ctl.expect('context use platform');
    for (const line of ['keys list -o acme', '-o acme keys list']) {
      expect(await ctl.run(line)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^gatewayctl: -o acme: the organization is --organization acme now/),
      });
    }
    await ctl.expect('context use acme');
    const { code, out, err } = await ctl.run('keys list -o acme --json');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('--organization acme') });
    expect(JSON.parse(out).virtualKeys).toHaveLength(1);
  });
});
