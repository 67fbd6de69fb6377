// Coding agents from their npm packages, without a terminal, on a task with two tool calls: through a gateway, to the
// simulated vendors. `npm run agents` installs the agents on demand; they are no part of `npm test`.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Scene, startScene } from '../conformance/providers/scene.ts';

const bin = join(import.meta.dirname, 'node_modules/.bin');

let scene: Scene;
let folder: string;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(async () => {
  scene.gateway.simulator.reset();
  folder = await mkdtemp(join(tmpdir(), 'agent-'));
});
afterAll(() => scene.close());

/** The agent's environment is this alone, and its home is an empty folder. */
async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { PATH } = process.env;
  const options = { env: { PATH, HOME: folder, ...env }, cwd: folder, timeout: 100_000 };
  const running = promisify(execFile)(join(bin, program), [...args], options);
  running.child.stdin?.end();
  return (await running).stdout;
}

async function expectFiles(): Promise<void> {
  for (const name of ['one', 'two']) {
    expect((await readFile(join(folder, `${name}.txt`))).toString()).toBe(`${name}\n`);
  }
  await rm(folder, { recursive: true });
}

describe('Claude Code', () => {
  const reasoning = 'I make them one after the other.';
  const write = (name: string, thinks: boolean) =>
    scene.gateway.simulator.script({
      ...(thinks && { reasoning }),
      toolCalls: [
        {
          name: 'Bash',
          arguments: JSON.stringify({ command: `echo ${name} > ${folder}/${name}.txt`, description: name }),
        },
      ],
    });

  it.each([
    ['assistant-provider/claude-sonnet-4-5', true],
    ['claude-opus-5', false],
    ['gpt-provider/gpt-4.1-mini', false],
    ['search-provider/gemini-2.5-flash', false],
    ['managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', true],
  ])('does a task on %s', async (model, thinks) => {
    write('one', thinks);
    write('two', thinks);
    scene.gateway.simulator.script({ text: 'Both files are there.' });
    const args = ['-p', 'make two files', '--output-format', 'json', '--dangerously-skip-permissions'];
    const result = await run('claude', [...args, '--model', model], {
      IS_SANDBOX: '1',
      ANTHROPIC_BASE_URL: scene.gateway.proxy.url,
      ANTHROPIC_AUTH_TOKEN: scene.key,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    expect(JSON.parse(result)).toMatchObject({ is_error: false, num_turns: 3, result: 'Both files are there.' });
    await expectFiles();
  });
});
