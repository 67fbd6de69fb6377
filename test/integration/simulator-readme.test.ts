// The commands of the simulator's README work when they are pasted.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { projectRoot, startProcess, until } from '../support/process.ts';

const readme = readFileSync(`${projectRoot}simulator/README.md`, 'utf8');
const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, command = '']) => command.trim());
const isRequest = (command: string) => command.startsWith('curl');

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const paste = (command: string) => startProcess('bash', ['-c', command], { cwd: projectRoot });

describe('a command of the simulator’s README', () => {
  it.each(commands.filter(isRequest))('gets a response: %s', async (command) => {
    const shell = paste(command.replaceAll('http://127.0.0.1:8089', simulator.url));
    expect(await shell.exited).toBe(0);
    expect(shell.stdout()).toContain(command.includes('errorAfterEvents') ? 'data: {"error":' : 'imulated');
    expect(simulator.requests.at(-1)?.status).toBe(200);
  });

  it('starts the simulator', async () => {
    const command = commands.find((one) => !isRequest(one)) ?? '';
    const shell = paste(command.replace('port: 8089', 'port: 0'));
    await until(() => shell.stdout().includes('/studio-ai'), { what: `the base URLs; ${shell.stderr()}` });
    await shell.stop();
    expect(shell.stderr()).toBe('');
  });
});
