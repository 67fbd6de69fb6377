// gatewayctl for tests: runs in this process as its main does, with given input and captured output.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Io } from '../../gatewayctl/io.ts';
import { runGatewayctl } from '../../gatewayctl/run.ts';
import { type GatewayOptions, startGateway, type TestGateway } from './gateway.ts';

export interface Ran {
  readonly code: number;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly err: string;
  /** Prompts that were shown on the terminal. */
  readonly requested: readonly string[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
  /** Input typed at a terminal, prompt by prompt; absent: there is no terminal. */
  readonly inputs?: readonly string[];
  /** Gets each line of standard error at once. */
  readonly onSay?: (line: string) => void;
  /** Runs while a prompt waits. */
  readonly onPrompt?: () => Promise<unknown>;
}

export interface Gatewayctl {
  /** The path of the configuration file; no other one is read. */
  readonly env: { readonly GATEWAYCTL_CONFIG: string };
  /** @param line arguments as a shell would split them, or already split */
  run(line: string | readonly string[], options?: RunOptions): Promise<Ran>;
  /** The same; an exit code other than 0 is an error. @returns standard output */
  expect(line: string | readonly string[], options?: RunOptions): Promise<string>;
  /** As expect, with --json. */
  json(line: string | readonly string[], options?: RunOptions): Promise<CommandResponse>;
  remove(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every command
export type CommandResponse = any;

/** gatewayctl with its own configuration. */
export function createGatewayctl(): Gatewayctl {
  const directory = mkdtempSync(join(tmpdir(), 'gatewayctl-'));
  const env = { GATEWAYCTL_CONFIG: join(directory, 'private', 'config.json') };
  const run = (line: string | readonly string[], options: RunOptions = {}) =>
    runCaptured(typeof line === 'string' ? words(line) : line, {
      ...options,
      env: { ...env, ...options.env },
    });
  const expect = async (line: string | readonly string[], options?: RunOptions) => {
    const { code, out, err } = await run(line, options);
    if (code !== 0) throw new Error(`gatewayctl ${String(line)} ended with ${code}: ${err}`);
    return out;
  };
  return {
    env,
    run,
    expect,
    json: async (line, options) =>
      JSON.parse(await expect([...(typeof line === 'string' ? words(line) : line), '--json'], options)),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** gatewayctl with this token, logged in to the control plane on this port of this machine. */
export async function loggedIn(grpcPort: number, token: string): Promise<Gatewayctl> {
  const made = createGatewayctl();
  await made.expect(`context add local --server 127.0.0.1:${grpcPort}`);
  await made.expect('login', { input: `${token}\n` });
  return made;
}

/** A whole gateway with the command lines of an owner and a platform operator. */
export interface Operated {
  readonly gateway: TestGateway;
  readonly owner: Gatewayctl;
  readonly platform: Gatewayctl;
  /** A folder for its own files. */
  readonly directory: string;
  /** Writes a file there. @returns its path */
  file(name: string, text: string): string;
  close(): Promise<void>;
}

export async function startOperated(options: GatewayOptions = {}): Promise<Operated> {
  const directory = mkdtempSync(join(tmpdir(), 'gatewayctl-files-'));
  const gateway = await startGateway(options);
  const { grpcPort } = gateway.controlPlane;
  const owner = await loggedIn(grpcPort, gateway.organization.ownerToken);
  const platform = await loggedIn(grpcPort, gateway.secrets.platformToken);
  return {
    ...{ gateway, owner, platform, directory },
    file: (name, text) => {
      const path = join(directory, name);
      writeFileSync(path, text);
      return path;
    },
    close: async () => {
      owner.remove();
      platform.remove();
      rmSync(directory, { recursive: true });
      await gateway.close();
    },
  };
}

async function runCaptured(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { inputs } = options;
  const typed = [...(inputs ?? [])];
  const [out, err, requested]: [string[], string[], string[]] = [[], [], []];
  const ask = async (question: string) => {
    requested.push(question);
    await options.onPrompt?.();
    return typed.shift() ?? '';
  };
  const io: Io = {
    env: options.env ?? {},
    interactive: inputs !== undefined,
    out: async (chunk) => void out.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()),
    say: (line) => {
      err.push(`${line}\n`);
      options.onSay?.(line);
    },
    input: async () => options.input ?? '',
    inputStream: () => Readable.from([Buffer.from(options.input ?? '')]),
    ask,
    askHidden: ask,
  };
  const code = await runGatewayctl(args, io);
  return { code, out: out.join(''), err: err.join(''), requested };
}

/** Splits as a shell does, as far as examples need it: quotes, and redirections end the line. */
export function words(line: string): string[] {
  const found = [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)];
  const split = found.map(([, double, single, plain]) => double ?? single ?? plain ?? '');
  const redirection = split.findIndex((word) => ['<', '>', '|'].includes(word));
  return redirection === -1 ? split : split.slice(0, redirection);
}
