// Fields of InvokeModel's body for Claude models: those of the Messages API, and two that its vendor's own API has as
// headers (the vendor's page "Anthropic Claude Messages API").
import type { Json, Probe } from '../probe.ts';
import { messagesProbes } from './messages.ts';

const versioned = (body: Json): Json => ({ anthropic_version: 'bedrock-2023-05-31', ...body });

const inBody = messagesProbes.filter(({ path }) => path !== 'stream');
const [{ without } = { without: {} }] = inBody;

export const invokeProbes: readonly Probe[] = [
  {
    path: 'anthropic_beta',
    with: versioned({ ...without, anthropic_beta: ['context-1m-2025-08-07'] }),
    without: versioned(without),
  },
  ...inBody.map((probe) => ({ ...probe, with: versioned(probe.with), without: versioned(probe.without) })),
];
