// gatewayctl run, as a process: what an agent gets in its environment and arguments, and what becomes of its exit code
// and of signals. The agents are shell scripts here; `npm run agents` starts the real ones in the same way.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { programOf } from '../../support/gateway.ts';
import { startNode, until } from '../../support/process.ts';

const key = createCredential('virtualKey');
let directory: string;
let bin: string;
let main: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gatewayctl-run-'));
  bin = join(directory, 'bin');
  mkdirSync(bin);
  main = await programOf('gatewayctl/main.ts');
  for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
    script(name, `printf '%s\\n' "arguments:$*"; env`);
  }
});
afterAll(() => rmSync(directory, { recursive: true }));

function script(name: string, body: string): void {
  writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`);
  chmodSync(join(bin, name), 0o755);
}

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly path?: string;
}

function start(line: readonly string[], { env = { MODEL_GATEWAY_KEY: key }, path }: Given = {}) {
  const whole = { PATH: path ?? `${bin}:/usr/bin:/bin`, XDG_CONFIG_HOME: join(directory, 'config'), HOME: directory };
  return startNode([main, 'run', ...line], { env: { ...whole, ...env } });
}

async function run(line: readonly string[], given: Given = {}) {
  const child = start(line, given);
  const code = await child.exited;
  return { code, out: child.stdout(), err: child.stderr() };
}

const model = ['--model', 'gpt-provider/gpt-4o-mini'];

describe('gatewayctl run', () => {
  it('passes what follows -- to the agent alone, and gives it the key by its environment', async () => {
    const { code, out } = await run(['claude', ...model, '--', '-p', 'two words', '--json', '--', '--model', 'x']);
    expect(code).toBe(0);
    expect(out).toContain('arguments:-p two words --json -- --model x\n');
    expect(out).toContain(`ANTHROPIC_AUTH_TOKEN=${key}\n`);
    expect(out).toContain('ANTHROPIC_BASE_URL=http://127.0.0.1:8080\n');
    expect(out).toContain('ANTHROPIC_DEFAULT_HAIKU_MODEL=gpt-provider/gpt-4o-mini\n');
  });

  it.each(['claude', 'codex', 'gemini', 'opencode'])('never puts the key into the arguments of %s', async (agent) => {
    const { code, out } = await run([agent, ...model]);
    expect(code).toBe(0);
    const [line = ''] = out.split('\n').filter((one) => one.startsWith('arguments:'));
    expect(line).not.toContain('sk-svc-');
    expect(out).toContain(`=${key}`);
  });

  it('does not pass variables that would lead past the gateway', async () => {
    const env = { MODEL_GATEWAY_KEY: key, ANTHROPIC_API_KEY: 'own', CLAUDE_CODE_USE_BEDROCK: '1', OTHER: 'stays' };
    const { out } = await run(['claude', ...model], { env });
    expect(out).not.toMatch(/^(?:ANTHROPIC_API_KEY|CLAUDE_CODE_USE_BEDROCK)=/m);
    expect(out).toMatch(/^OTHER=stays$/m);
  });

  it('takes the key from a file or another variable, and the address from option or environment', async () => {
    const file = join(directory, 'key');
    writeFileSync(file, `${key}\n`);
    const fromFile = await run(['codex', '--key-file', file, '--url', 'https://gateway.example.com/v1'], { env: {} });
    expect(fromFile.out).toContain('base_url="https://gateway.example.com/v1"');
    expect(fromFile.out).toContain(`MODEL_GATEWAY_KEY=${key}\n`);
    const env = { MINE: key, MODEL_GATEWAY_URL: 'http://10.0.0.1:8080' };
    const fromVariable = await run(['claude', '--key-env', 'MINE'], { env });
    expect(fromVariable.out).toContain('ANTHROPIC_BASE_URL=http://10.0.0.1:8080\n');
    expect(fromVariable.out).not.toContain('ANTHROPIC_MODEL');
  });

  it.each([
    [['claude'], {}, 'there is no virtual key in MODEL_GATEWAY_KEY'],
    [['claude'], { MODEL_GATEWAY_KEY: 'sk-ant-own-key' }, 'MODEL_GATEWAY_KEY does not contain a virtual key'],
    [['claude'], { MODEL_GATEWAY_KEY: createCredential('operator') }, 'does not contain a virtual key'],
    [['claude', '--key-file', '/nowhere'], {}, 'the file /nowhere cannot be read'],
    [['claude', '--key-file', '-'], {}, 'standard input belongs to the agent'],
    [['claude', '--key-file', 'a', '--key-env', 'B'], {}, '--key-file excludes --key-env'],
    [['claude', '--url', 'https://gateway/path'], { MODEL_GATEWAY_KEY: key }, '--url must not have a path'],
    [['claude'], { MODEL_GATEWAY_KEY: key, MODEL_GATEWAY_URL: 'gateway:8080' }, 'MODEL_GATEWAY_URL must be http'],
    [['opencode'], { MODEL_GATEWAY_KEY: key }, 'name the model that opencode shall use'],
    [['claude', '--small-model', 'a/b'], { MODEL_GATEWAY_KEY: key }, 'name the model that claude shall use'],
    [['aider'], { MODEL_GATEWAY_KEY: key }, 'Allowed choices are claude, codex, gemini, opencode.'],
    [['claude', '-p', 'hello'], { MODEL_GATEWAY_KEY: key }, "unknown option '-p'"],
  ])('refuses %j with %o and starts nothing', async (line, env, message) => {
    const { code, out, err } = await run(line, { env: env as Record<string, string> });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).not.toMatch(/sk-(?:ant|svc)-\w{3}|gw-op-\w/);
  });

  it('names a missing agent and how to install it', async () => {
    const { code, err } = await run(['codex'], { path: '/usr/bin:/bin' });
    expect([code, err]).toEqual([
      2,
      'gatewayctl: there is no program codex in PATH; install it: npm install -g @openai/codex\n',
    ]);
  });

  it('ends with the exit code of the agent, or as after its signal', async () => {
    script('claude', 'exit 42');
    expect((await run(['claude'])).code).toBe(42);
    script('claude', 'kill -KILL $$');
    expect((await run(['claude'])).code).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s to the agent and waits for its end', async (signal) => {
    script('claude', `trap 'echo got ${signal}; exit 7' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`);
    const child = start(['claude']);
    await until(() => child.stdout().includes('ready'), { what: 'the agent' });
    child.signal(signal);
    expect(await child.exited).toBe(7);
    expect(child.stdout()).toContain(`got ${signal}`);
  });

  it('gives Gemini CLI a home of its own, and leaves a file in it alone', async () => {
    const settings = join(directory, 'config/gatewayctl/gemini/.gemini/settings.json');
    rmSync(settings, { force: true });
    const { out } = await run(['gemini', ...model]);
    expect(out).toContain(`GEMINI_CLI_HOME=${join(directory, 'config/gatewayctl/gemini')}\n`);
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({
      security: { auth: { selectedType: 'gemini-api-key' } },
    });
    writeFileSync(settings, '{"own":true}');
    await run(['gemini', ...model]);
    expect(readFileSync(settings, 'utf8')).toBe('{"own":true}');
    expect(existsSync(join(directory, '.gemini'))).toBe(false);
  });
});
