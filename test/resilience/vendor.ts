// A simulated vendor as a process that can be killed and paused, with a text of its own for each call, so that a text
// from two vendors is noticed. It counts what became of each call. Started by world.ts: node test/resilience/vendor.ts
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type Behaviour, type RecordedRequest, startSimulator } from '../../simulator/index.ts';
import { type CallPlan, planIn, textOf } from './plan.ts';

/** What became of one request of a call. */
export interface VendorRequest {
  readonly status: number | undefined;
  readonly ended: RecordedRequest['ended'];
}

/** By the name of the call. */
export type VendorRequests = Readonly<Record<string, readonly VendorRequest[]>>;

const usageFields = {
  'gpt-provider': ({ prompt, completion }: CallPlan) => ({ prompt_tokens: prompt, completion_tokens: completion }),
  'assistant-provider': ({ prompt, completion }: CallPlan) => ({ input_tokens: prompt, output_tokens: completion }),
} as const;

export type SimulatedVendor = keyof typeof usageFields;

function behaviourOf(vendor: SimulatedVendor, request: RecordedRequest): Behaviour {
  const plan = planIn(request.json());
  if (plan === undefined) return {};
  const { headDelayMs = 0, pieceDelayMs = 0, stop } = plan;
  return {
    ...{ text: textOf(plan, vendor), usage: usageFields[vendor](plan), headDelayMs, pieceDelayMs },
    ...(stop && { stop }),
  };
}

/** What the vendor does with every request; undefined: it works. */
export type Outage = Behaviour | 'closed' | undefined;

async function start(vendor: SimulatedVendor): Promise<void> {
  const requests = new Map<string, RecordedRequest[]>();
  let outage: Outage;
  const count = (request: RecordedRequest) => {
    const { name } = planIn(request.json()) ?? {};
    if (name === undefined) return;
    const known = requests.get(name);
    if (known === undefined) requests.set(name, [request]);
    else known.push(request);
  };
  const respond = (request: RecordedRequest) => {
    count(request);
    return typeof outage === 'object' ? outage : behaviourOf(vendor, request);
  };
  const open = async (port: number) => {
    const opened = await startSimulator({ host: '127.0.0.1', port });
    opened.script(respond, { times: Number.POSITIVE_INFINITY });
    return opened;
  };
  let simulator = await open(0);
  const { port } = simulator;
  const change = async (changed: Outage) => {
    if (changed === 'closed') await simulator.close();
    else if (outage === 'closed') simulator = await open(port);
    outage = changed;
  };
  const listed = (): VendorRequests =>
    Object.fromEntries([...requests].map(([name, of]) => [name, of.map(({ status, ended }) => ({ status, ended }))]));
  const control = createServer((request: IncomingMessage, response) => {
    void readText(request).then(async (body) => {
      if (request.method === 'PUT') await change(body === '' ? undefined : (JSON.parse(body) as Outage));
      response.setHeader('connection', 'close');
      response.end(request.method === 'GET' ? JSON.stringify(listed()) : '');
    });
  });
  control.listen(0, '127.0.0.1', () => {
    const { port: controlPort } = control.address() as AddressInfo;
    console.log(JSON.stringify({ msg: 'ready', port, control_port: controlPort }));
  });
}

if (process.argv[1] === import.meta.filename) await start(process.argv[2] as SimulatedVendor);
