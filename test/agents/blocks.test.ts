// The blocks of `gatewayctl keys snippet` that need packages from PyPI, or from npm beyond those of `npm test`: each runs
// as it is printed, through a gateway, to the simulated vendors.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClientName, clients } from '../../gatewayctl/clients/index.ts';
import { type Scene, startScene } from '../conformance/providers/scene.ts';
import { startProcess } from '../support/process.ts';
import { environments } from './environments.ts';

let scene: Scene;
/** Among the agents' packages, so that the packages of blocks in JavaScript are found. */
let packages: string;
/** In no repository: aider writes its history to the root of one. */
let folder: string;
beforeAll(async () => {
  scene = await startScene();
  packages = await mkdtemp(join(import.meta.dirname, 'node_modules/.blocks-'));
  folder = await mkdtemp(join(tmpdir(), 'blocks-'));
});
beforeEach(() => {
  scene.gateway.simulator.reset();
  scene.gateway.simulator.script({ text: 'Hello from the simulator.' }, { times: Number.POSITIVE_INFINITY });
});
afterAll(async () => {
  await rm(packages, { recursive: true });
  await rm(folder, { recursive: true });
  await scene.close();
});

/** Runs a shell with the lines of the block's environment, then its code. */
async function run({ name, needs, args = '' }: Row, model: string) {
  const bin = needs === undefined ? '' : environments[needs].bin;
  const blocks = clients[name].blocks({ url: scene.gateway.proxy.url, model, keyName: 'MODEL_GATEWAY_KEY' });
  const lines: string[] = [];
  for (const { language, text } of blocks) {
    if (language === 'sh') lines.push(text);
    else {
      const [file, program] =
        language === 'js'
          ? [join(packages, `${name}.mjs`), process.execPath]
          : [join(folder, `${name}.py`), join(bin, 'python')];
      await writeFile(file, text);
      lines.push(`'${program}' '${file}'\n`);
    }
  }
  const child = startProcess('bash', ['-euc', `${lines.join('').trimEnd()} ${args}`], {
    cwd: folder,
    env: { MODEL_GATEWAY_KEY: scene.key, HOME: folder, PATH: `${bin}:${process.env.PATH}` },
  });
  return { code: await child.exited, out: child.stdout(), err: child.stderr() };
}

interface Row {
  readonly name: ClientName;
  readonly needs?: keyof typeof environments;
  /** Of the last line, so that it runs without a terminal. */
  readonly args?: string;
}

const rows: readonly Row[] = [
  { name: 'openai-python', needs: 'sdks' },
  { name: 'azure-openai-python', needs: 'sdks' },
  { name: 'anthropic-python', needs: 'sdks' },
  { name: 'google-genai-python', needs: 'sdks' },
  { name: 'aws-python', needs: 'sdks' },
  { name: 'langchain', needs: 'sdks' },
  { name: 'openai-agents', needs: 'sdks' },
  { name: 'pydantic-ai', needs: 'sdks' },
  { name: 'llamaindex', needs: 'llamaindex' },
  { name: 'vercel-ai' },
  {
    name: 'aider',
    needs: 'aider',
    args: '--no-git --yes-always --no-stream --no-analytics --no-check-update --message hello',
  },
];
const models = ['gpt-provider/gpt-4o-mini', 'assistant-provider/claude-sonnet-4-5', 'search-provider/gemini-2.5-flash'];

const isRunnable = ({ needs }: Row) => needs === undefined || environments[needs].isInstalled();
const missing = rows.filter((row) => !isRunnable(row)).map(({ name }) => name);
if (missing.length > 0) console.warn(`without their packages from PyPI: ${missing.join(', ')}`);

describe.each(rows.filter(isRunnable))('the block of $name', (row) => {
  it.each(models)('gets a response of %s', async (model) => {
    const { code, out, err } = await run(row, model);
    expect(code, err).toBe(0);
    expect(out).toContain('Hello from the simulator.');
  });
});
