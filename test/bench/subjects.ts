// The measured subjects, each started fresh and alone on its core: the gateway and its yardsticks.
import { join } from 'node:path';
import { freePort } from '../support/process.ts';
import { type Cores, startPinned } from './cores.ts';
import { startLimit } from './nginx.ts';

export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Headers that callers send. */
  readonly headers: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface SubjectStarter<S extends Subject = Subject> {
  readonly name: string;
  start(): Promise<S>;
}

const json = { 'content-type': 'application/json' };

/** nginx as reverse proxy. */
export function limit(cores: Cores, upstreamPort: number): SubjectStarter {
  const start = async () => {
    const nginx = await startLimit(cores.subject, upstreamPort);
    return { ...nginx, name: 'limit', headers: json };
  };
  return { name: 'limit', start };
}

/** floor.ts */
export function floor(cores: Cores, upstreamPort: number): SubjectStarter {
  return pipe('floor', cores, upstreamPort);
}

/** bare.ts */
export function bare(cores: Cores, upstreamPort: number): SubjectStarter {
  return pipe('bare', cores, upstreamPort);
}

function pipe(name: 'floor' | 'bare', cores: Cores, upstreamPort: number): SubjectStarter {
  const start = async () => {
    const port = await freePort();
    const program = [process.execPath, join(import.meta.dirname, `${name}.ts`), String(port)];
    const started = await startPinned(cores.subject, port, [...program, `http://127.0.0.1:${upstreamPort}`]);
    return { ...started, name, port, headers: json };
  };
  return { name, start };
}
