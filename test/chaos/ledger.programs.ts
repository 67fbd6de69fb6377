// Control planes and proxies as processes that are killed and restarted with the same ports and data.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, type PlaneOptions, startPlane } from '../support/gateway.ts';
import type { Child } from '../support/process.ts';
import { freePort } from '../support/process.ts';
import type { LogLine, Observed } from '../support/telemetry.ts';

/** A program or server that can be killed. */
export interface Victim {
  readonly name: string;
  kill(): Promise<void>;
  /** Resolves when it is ready again. */
  restart(): Promise<void>;
}

/** The time that a busy machine may need to start a program, and a control plane to find its database. */
const startMs = 240_000;
const complaints: ReadonlySet<unknown> = new Set(['warn', 'error', 'fatal']);

export class Program implements Victim {
  readonly name: string;
  readonly #main: string;
  readonly #environment: () => Environment;
  readonly #options: PlaneOptions;
  readonly #children: Child[] = [];

  /** @param environment called at each start */
  constructor(name: string, main: string, environment: () => Environment, options: PlaneOptions = {}) {
    this.name = name;
    this.#main = main;
    this.#environment = environment;
    this.#options = options;
  }

  /** The running process, or the last one. */
  get child(): Child {
    const child = this.#children.at(-1);
    if (child === undefined) throw new Error(`${this.name} was never started`);
    return child;
  }

  /** Whether the process exists, also while it is paused. */
  get isRunning(): boolean {
    return existsSync(`/proc/${this.child.pid}/fd`);
  }

  async kill(): Promise<void> {
    await this.#children.at(-1)?.stop('SIGKILL');
  }

  /** Retries like a supervisor in production, because a control plane exits when it finds no database. */
  async restart(): Promise<void> {
    const environment = this.#environment();
    const until = performance.now() + startMs;
    for (;;) {
      try {
        const { child } = await startPlane(this.#main, environment, { timeoutMs: startMs, ...this.#options });
        this.#children.push(child);
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(100);
      }
    }
  }

  /** All its output, over all its starts. */
  log(): string {
    return this.#children.map((child) => `${child.stdout()}${child.stderr()}`).join('');
  }

  /** Whether it runs, and the end of its output. */
  state(): string {
    const tail = (text: string) => text.slice(-1_000);
    return `${this.name} ${this.isRunning ? 'runs' : 'has ended'}: ${tail(this.child.stdout())}${tail(this.child.stderr())}`;
  }

  /** How often it has logged the message, over all its starts. */
  timesLogged(message: string): number {
    return this.#children.reduce((sum, child) => sum + child.stdout().split(`"msg":"${message}"`).length - 1, 0);
  }

  /** Its warnings and errors, over all its starts. */
  complaints(): readonly LogLine[] {
    return this.#children
      .flatMap((child) => child.stdout().split('\n'))
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ level, msg }) => complaints.has(level) && msg !== 'request');
  }
}

/** The life of a proxy process, from start to kill. */
export interface Run {
  /** Identifies the run in the ledger, because each run has its own token. */
  readonly tokenId: string;
  /** By performance.now(). */
  killedAt: number | undefined;
}

export interface ProxyToken {
  readonly id: string;
  readonly value: string;
}

export class ProxySeat implements Victim, Observed {
  readonly name: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly #program: Program;
  readonly #tokens: ProxyToken[];
  #run: Run | undefined;
  #isUp = false;

  private constructor(name: string, ports: readonly [number, number], tokens: ProxyToken[], env: Environment) {
    this.name = name;
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.adminUrl = `http://127.0.0.1:${ports[1]}`;
    this.#tokens = tokens;
    this.#program = new Program(name, 'proxy/main.ts', () => ({
      ...env,
      GATEWAY_LISTEN: `127.0.0.1:${ports[0]}`,
      GATEWAY_ADMIN_LISTEN: `127.0.0.1:${ports[1]}`,
      GATEWAY_PROXY_TOKEN: this.#tokens[0]?.value,
    }));
  }

  /** @param tokens one for each start */
  static async create(name: string, tokens: readonly ProxyToken[], env: Environment): Promise<ProxySeat> {
    return new ProxySeat(name, [await freePort(), await freePort()], [...tokens], env);
  }

  /** Undefined while it is down. */
  get run(): Run | undefined {
    return this.#isUp ? this.#run : undefined;
  }

  async kill(): Promise<void> {
    this.#isUp = false;
    if (this.#run !== undefined) this.#run.killedAt ??= performance.now();
    await this.#program.kill();
  }

  async restart(): Promise<void> {
    const [token] = this.#tokens;
    if (token === undefined) throw new Error(`${this.name} was to be started fewer times`);
    await this.#program.restart();
    this.#tokens.shift();
    this.#run = { tokenId: token.id, killedAt: undefined };
    this.#isUp = true;
  }

  complaints(): readonly LogLine[] {
    return this.#program.complaints();
  }
}
