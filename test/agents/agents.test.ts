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
  /** Default: the agent's own. */
  readonly model?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function run(agent: AgentName, { model, args, env }: Run): Promise<string> {
  const line = ['run', agent, ...(model === undefined ? [] : ['--model', model]), '--', ...args];
  const gateway = { MODEL_GATEWAY_URL: scene.gateway.proxy.url, MODEL_GATEWAY_KEY: scene.key };
  return await start(process.execPath, [gatewayctl, ...line], { ...gateway, ...env });
}

/** Its environment is this alone, and its home is an empty folder. */
async function start(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const whole = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, ...env };
  const running = promisify(execFile)(file, [...args], { env: whole, cwd: folder, timeout: 200_000 });
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
  const task = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'make two files'];

  // Its requests pass to its own vendor as they are, and that refuses summaries of models that do not reason.
  const reasoning = models.map((model) => (model.startsWith('gpt-provider/') ? 'gpt-provider/gpt-5-mini' : model));

  it.each(reasoning)('does a task on %s', async (model) => {
    scriptTask('exec_command', (cmd) => ({ cmd }));
    const result = await run('codex', { model, args: task });
    expect(result).toContain('Both files are there.');
    await expectFiles();
  });

  it('does a task with its built-in provider, which is refused a WebSocket first', async () => {
    scriptTask('exec_command', (cmd) => ({ cmd }));
    const settings = [`openai_base_url="${scene.gateway.proxy.url}/v1"`, `model="${models[0]}"`];
    const args = [...settings.flatMap((setting) => ['-c', setting]), ...task];
    const result = await start(join(bin, 'codex'), args, { CODEX_API_KEY: scene.key });
    expect(result).toContain('Both files are there.');
    expect(scene.gateway.logs.join('')).toContain('upgrade_not_supported');
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

  it('does a task with its own choice of a model, by names without a provider', async () => {
    const choice = JSON.stringify({ complexity_reasoning: 'short', complexity_score: 20 });
    const isRouting = ({ body }: { readonly body: Buffer }) => body.includes('complexity_score');
    scene.gateway.simulator.script({ text: choice }, { when: isRouting, times: Number.POSITIVE_INFINITY });
    scriptTask('run_shell_command', (command) => ({ command, description: 'make a file' }));
    const result = await run('gemini', {
      args: ['-p', 'make two files', '--yolo', '--output-format', 'json'],
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    });
    expect(JSON.parse(result)).toMatchObject({ response: 'Both files are there.' });
    expect(scene.gateway.simulator.requests.some(isRouting)).toBe(true);
    await expectFiles();
  });
});

describe('opencode', () => {
  it.each(models)('does a task on %s', async (model) => {
    scriptTask('bash', (command) => ({ command, description: 'make a file' }));
    const env = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' };
    const result = await run('opencode', { model, args: ['run', 'make two files'], env });
    expect(result).toContain('Both files are there.');
    await expectFiles();
  });
});
