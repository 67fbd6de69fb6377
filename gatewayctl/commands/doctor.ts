// Diagnoses the path between this machine and the gateway.
import { type Command, type Given, valuesOf } from '../command.ts';

const proxy: Given = {
  flags: '--proxy <url>',
  about: 'look at this proxy too: the address of its admin listener, such as http://127.0.0.1:9090; repeat it for more',
  several: true,
};

const admin: Given = {
  flags: '--admin <url>',
  about:
    'look at this program too, whichever it is: the admin listener of an injector, a keeper, a control plane or a proxy; repeat it for more',
  several: true,
};

export const doctor: Command = {
  about: 'check connection, TLS, certificates, token, clocks, versions, the feed and Redis, and say what to do',
  options: [proxy, admin],
  run: async (invocation) => {
    const { context, target } = await invocation.session();
    const { runDoctor } = await import('../doctor/index.ts');
    const { form } = invocation.options;
    const [proxies, admins] = [valuesOf(invocation, proxy), valuesOf(invocation, admin)];
    return await runDoctor({ context, target, form, proxies, admins }, invocation.io);
  },
  examples: [
    'doctor',
    'doctor --proxy http://127.0.0.1:9090 --json',
    'doctor --admin http://127.0.0.1:9092 --admin http://127.0.0.1:9093',
  ],
};
