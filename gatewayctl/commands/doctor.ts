// What is wrong between this machine and the gateway, found out by looking.
import { type Command, type Given, valuesOf } from './command.ts';

const proxy: Given = {
  flags: '--proxy <url>',
  about:
    'look at this proxy too: the address of its admin listener, such as http://127.0.0.1:9090; repeat it for more',
  several: true,
};

export const doctor: Command = {
  about: 'check connection, TLS, token, clocks, versions, the feed and Redis, and say what to do',
  options: [proxy],
  run: async (invocation) => {
    const { context, target } = await invocation.session();
    const { runDoctor } = await import('../doctor/index.ts');
    const json = invocation.options.json === true;
    return await runDoctor({ context, target, json, proxies: valuesOf(invocation, proxy) }, invocation.io);
  },
  examples: ['doctor', 'doctor --proxy http://127.0.0.1:9090 --json'],
};
