// A simulator of the model vendors: a real HTTP server that speaks their wire formats strictly, refuses the requests
// that they would refuse, and marks its responses as simulated. For tests, the quick start and demonstrations; it calls
// no model.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Delivery, deliver } from './deliver.ts';
import { createMemory, type Memory } from './memory.ts';
import { createRecorder, type OpenRecord, type RecordedRequest, type Recorder } from './record.ts';
import { createScript, type Script, type ScriptedBehaviour, type ScriptOptions } from './script.ts';
import { type VendorName, vendors } from './vendors.ts';
import type { SimulatedResponse } from './wire-format.ts';

export type { Behaviour, Stop } from './behaviour.ts';
export type { Delivery } from './deliver.ts';
export type { RecordedRequest } from './record.ts';
export type { ScriptOptions } from './script.ts';

export interface SimulatorOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Accepted keys, in addition to those of the form `sk-sim-…`. */
  readonly keys?: readonly string[];
  /** Simulates a self-hosted model server: the GPT vendor's format, with the key in this header, or without keys. */
  readonly modelServer?: ModelServerKeys;
  readonly log?: { info(fields: object, message: string): void };
}

export type ModelServerKeys = 'none' | { readonly header: string };

export interface Simulator {
  /** The origin, without a path. */
  readonly url: string;
  readonly port: number;
  /** The base URL to configure for each vendor. */
  readonly baseUrls: Readonly<Record<VendorName, string>>;
  /** The latest requests, oldest first, with their credentials; only for assertions. */
  readonly requests: readonly RecordedRequest[];
  /** Applies the behaviour to the next valid request, or to the next that `when` accepts. */
  script(behaviour: ScriptedBehaviour, options?: ScriptOptions): void;
  /** Removes the recorded requests and the scripted behaviours. What a vendor stored stays, as it would at the vendor. */
  reset(): void;
  /** Also ends open connections. */
  close(): Promise<void>;
}

/** @throws the listener's error (EADDRINUSE…) */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const recorder = createRecorder();
  const script = createScript();
  const { log, modelServer } = options;
  const keys = new Set(options.keys);
  const state: State = { recorder, script, keys, modelServer, log, memory: createMemory(), responses: 0 };
  const server = createServer({ requireHostHeader: true, keepAliveTimeout: 60_000 }, (request, response) => {
    serve(state, request, response).catch((error: unknown) => {
      // An error in the simulator. A reader who sees the broken connection finds the cause in the response or on
      // stderr.
      const fault = `simulator: ${error instanceof Error ? error.stack : String(error)}\n`;
      process.stderr.write(fault);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(fault);
    });
  });
  await listening(server, options);
  const { port } = server.address() as AddressInfo;
  const url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`;
  return {
    url,
    port,
    baseUrls: baseUrlsAt(url),
    requests: recorder.requests,
    script: script.add,
    reset() {
      recorder.clear();
      script.clear();
    },
    close: () => closed(server),
  };
}

function baseUrlsAt(url: string): Simulator['baseUrls'] {
  const entries = Object.entries(vendors).map(([name, format]) => [name, url + format.basePath]);
  return Object.fromEntries(entries) as Record<VendorName, string>;
}

interface State {
  readonly recorder: Recorder;
  readonly script: Script;
  readonly keys: ReadonlySet<string>;
  readonly modelServer: ModelServerKeys | undefined;
  readonly log: SimulatorOptions['log'];
  readonly memory: Memory;
  responses: number;
}

// Above all limits of the gateway, so that the gateway refuses a large body, not the simulator.
const bodyBytesMax = 128 * 1024 * 1024;

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const record = state.recorder.open(request);
  const body = await readBody(request);
  if (body === undefined) {
    record.ended = 'client_left';
    response.destroy();
    return;
  }
  state.recorder.received(record, body);
  const result = respondTo(state, record, body);
  record.status = result.status;
  record.ended = await deliver(response, result);
  log(state, record, record.ended);
}

function respondTo(state: State, record: OpenRecord, body: Buffer): SimulatedResponse {
  const [path = '', query = ''] = record.target.split(/\?(.*)/s);
  const vendor = Object.values(vendors).find((format) => path.startsWith(`${format.basePath}/`));
  if (vendor === undefined) {
    const paths = Object.values(vendors).map((format) => `${format.basePath}/…`);
    return {
      status: 404,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      parts: [`no such path; the simulator serves ${paths.join(', ')}\n`],
      behaviour: {},
    };
  }
  state.responses += 1;
  return vendor.respond(
    { method: record.method, path, query, headers: vendorHeaders(record.headers, state.modelServer), body },
    {
      keys: state.keys,
      scripted: () => state.script.take(record),
      now: Math.floor(Date.now() / 1000),
      sequence: state.responses,
      memory: state.memory,
    },
  );
}

/** Moves the model server's key to the header that the GPT vendor uses. */
function vendorHeaders(headers: IncomingHttpHeaders, modelServer: ModelServerKeys | undefined): IncomingHttpHeaders {
  if (modelServer === undefined) return headers;
  const { authorization, ...others } = headers;
  const key = modelServer === 'none' ? 'sk-sim-none' : headers[modelServer.header];
  return key === undefined ? others : { ...others, authorization: `Bearer ${String(key)}` };
}

/** Undefined if the client left before the end or sent too large a body. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function log(state: State, record: RecordedRequest, ended: Delivery): void {
  state.log?.info({ method: record.method, target: record.target, status: record.status, ended }, 'simulated');
}

function listening(server: Server, options: SimulatorOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
