// Coding agents from their npm packages, without a terminal, on a task with two tool calls: started by `gatewayctl run`,
// through a gateway, to the simulated vendors. `npm run agents` installs the agents on demand; they are no part of
// `npm test`.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentName } from '../../gatewayctl/clients/agents.ts';
import { type Scene, startScene } from '../conformance/providers/scene.ts';
import { programOf } from '../support/gateway.ts';

const bin = join(import.meta.dirname, 'node_modules/.bin');

let scene: Scene;
let gatewayctl: string;
let folder: string;
beforeAll(async () => {
  scene = await startScene();
  gatewayctl = await programOf('gatewayctl/main.ts');
});
beforeEach(async () => {
  scene.gateway.simulator.reset();
  folder = await mkdtemp(join(tmpdir(), 'agent-'));
});
afterAll(() => scene.close());

interface Run {
  readonly model: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The agent's environment is this alone, and its home is an empty folder. */
async function run(agent: AgentName, { model, args, env }: Run): Promise<string> {
  const { PATH } = process.env;
  const options = {
    env: {
      PATH: `${bin}:${PATH}`,
      HOME: folder,
      MODEL_GATEWAY_URL: scene.gateway.proxy.url,
      MODEL_GATEWAY_KEY: scene.key,
      ...env,
    },
    cwd: folder,
    timeout: 100_000,
  };
  const line = [gatewayctl, 'run', agent, '--model', model, '--', ...args];
  const running = promisify(execFile)(process.execPath, line, options);
  running.child.stdin?.end();
  return (await running).stdout;
}

/** The two calls of the task, then its end. Only requests with tools are turns: agents also want titles. */
function scriptTask(tool: string, argumentsOf: (command: string) => object, reasoning?: string): void {
  const when = ({ body }: { readonly body: Buffer }) => body.includes('"tools"');
  for (const name of ['one', 'two']) {
    const text = JSON.stringify(argumentsOf(`echo ${name} > ${folder}/${name}.txt`));
    const call = { name: tool, arguments: text };
    scene.gateway.simulator.script({ ...(reasoning !== undefined && { reasoning }), toolCalls: [call] }, { when });
  }
  scene.gateway.simulator.script({ text: 'Both files are there.' }, { when });
}

async function expectFiles(): Promise<void> {
  for (const name of ['one', 'two']) {
    expect((await readFile(join(folder, `${name}.txt`))).toString()).toBe(`${name}\n`);
  }
  await rm(folder, { recursive: true });
}

describe('Claude Code', () => {
  it.each([
    ['assistant-provider/claude-sonnet-4-5', 'I make them one after the other.'],
    ['claude-opus-5', undefined],
    ['gpt-provider/gpt-4.1-mini', undefined],
    ['search-provider/gemini-2.5-flash', undefined],
    ['managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'I make them one after the other.'],
  ])('does a task on %s', async (model, reasoning) => {
    scriptTask('Bash', (command) => ({ command, description: 'make a file' }), reasoning);
    const result = await run('claude', {
      model,
      args: ['-p', 'make two files', '--output-format', 'json', '--dangerously-skip-permissions'],
      env: { IS_SANDBOX: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    });
    expect(JSON.parse(result)).toMatchObject({ is_error: false, num_turns: 3, result: 'Both files are there.' });
    await expectFiles();
  });
});

const models = [
  'assistant-provider/claude-sonnet-4-5',
  'gpt-provider/gpt-4.1-mini',
  'search-provider/gemini-2.5-flash',
  'managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
];

describe('Codex CLI', () => {
  it.each(models)('does a task on %s', async (model) => {
    scriptTask('exec_command', (cmd) => ({ cmd }));
    const result = await run('codex', {
      model,
      args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'make two files'],
    });
    expect(result).toContain('Both files are there.');
    await expectFiles();
  });
});

describe('Gemini CLI', () => {
  it.each(models)('does a task on %s', async (model) => {
    scriptTask('run_shell_command', (command) => ({ command, description: 'make a file' }));
    const result = await run('gemini', {
      model,
      args: ['-p', 'make two files', '--yolo', '--output-format', 'json'],
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    });
    expect(JSON.parse(result)).toMatchObject({ response: 'Both files are there.' });
    await expectFiles();
  });
});

describe('opencode', () => {
  it.each(models)('does a task on %s', async (model) => {
    scriptTask('bash', (command) => ({ command, description: 'make a file' }));
    const result = await run('opencode', { model, args: ['run', 'make two files'] });
    expect(result).toContain('Both files are there.');
    await expectFiles();
  });
});
