// The text that `npm start` prints. Every command can be pasted, and each secret is shown once.
import type { VendorName } from '../simulator/vendors.ts';
import type { Demo } from './demo.ts';
import { quickstartVendors } from './vendors.ts';

export interface GreetingFacts {
  readonly demo: Demo;
  /** Signs in at the console once, within ten minutes; undefined: the console is off. */
  readonly consoleLink: string | undefined;
  readonly dataPath: string;
  readonly trafficPort: number;
  readonly adminPort: number;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** The other vendors are simulated. */
  readonly realVendors: readonly VendorName[];
}

export function greeting(facts: GreetingFacts): string {
  const { demo, consoleLink, dataPath, trafficPort, adminPort, httpPort, grpcPort } = facts;
  return [
    '',
    ...whoResponds(facts.realVendors),
    '',
    ...(demo.secrets === undefined ? later(facts) : firstTime(facts, demo.secrets)),
    `Let callers send their own provider keys (off until then):`,
    operatorCurl(facts, 'Organizations/UpdateSettings', {
      id: demo.organizationId,
      settings: { access: { callerProviderKeys: true } },
    }),
    '',
    ...(consoleLink === undefined
      ? []
      : [
          'Console, signed in once within ten minutes:',
          consoleLink,
          `A new link: npm run -s gatewayctl -- console --server 127.0.0.1:${grpcPort} --token-file '${dataPath}/operator-token'`,
          '',
        ]),
    `chat           http://127.0.0.1:${trafficPort}/v1`,
    `health         http://127.0.0.1:${adminPort}/readyz  metrics /metrics`,
    `operators      gRPC 127.0.0.1:${grpcPort}  JSON http://127.0.0.1:${httpPort}`,
    `data and log   ${dataPath}`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

function whoResponds(real: readonly VendorName[]): string[] {
  if (real.length === 0) {
    return [
      'Responses come from the simulator: no account, no cost. OPENAI_API_KEY=… npm start uses that vendor instead.',
    ];
  }
  return real.map((name) => {
    const variables = quickstartVendors[name].variables;
    const [first = ''] = variables;
    const without = `\`env -u ${first} npm start\` brings the simulator back.`;
    return `${variables.join(', ')} set: requests for ${name} go to the vendor and cost money. ${without}`;
  });
}

function firstTime(facts: GreetingFacts, secrets: NonNullable<Demo['secrets']>): string[] {
  const address = `http://127.0.0.1:${facts.trafficPort}`;
  const base = `${address}/v1`;
  return [
    'Shown this once:',
    `  virtual key              ${secrets.virtualKey}`,
    `  operator token (owner)   ${secrets.operatorToken}`,
    `  platform operator token  ${secrets.platformToken}`,
    '',
    'Try it:',
    `curl -s ${base}/chat/completions -H 'Authorization: Bearer ${secrets.virtualKey}' -H 'Content-Type: application/json' -d '{"model":"gpt-provider/gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'`,
    '',
    'With the OpenAI SDK:',
    `  const client = new OpenAI({ baseURL: '${base}', apiKey: '${secrets.virtualKey}' });`,
    `  await client.chat.completions.create({ model: 'gpt-provider/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] });`,
    '',
    'With a coding agent (claude, codex, gemini or opencode):',
    `  MODEL_GATEWAY_KEY=${secrets.virtualKey} npm run -s gatewayctl -- run claude --url ${address}`,
    '',
    `Other vendors by other names of the model, all of them: curl -s ${base}/models -H 'Authorization: Bearer ${secrets.virtualKey}'`,
    '',
  ];
}

function later(facts: GreetingFacts): string[] {
  const { organizationId } = facts.demo;
  return [
    'The keys of the first start still work. A new one:',
    operatorCurl(facts, 'VirtualKeys/Create', {
      organizationId,
      name: 'another-key',
      scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId },
    }),
    '',
  ];
}

function operatorCurl({ httpPort, dataPath }: GreetingFacts, method: string, request: object): string {
  return `curl -s http://127.0.0.1:${httpPort}/gateway.v1.${method} -H "Authorization: Bearer $(cat '${dataPath}/operator-token')" -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`;
}
