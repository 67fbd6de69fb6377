// A gateway whose console has a playground: a proxy that its page may call, at a port that the control plane knows before.
import { startGateway, type TestGateway } from './gateway.ts';
import { freePort } from './process.ts';

export async function startPlaygroundGateway(): Promise<TestGateway> {
  const port = await freePort();
  const gateway = await startGateway({ controlPlane: { GATEWAY_PLAYGROUND_URL: `http://127.0.0.1:${port}` } });
  await gateway.startProxy({
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    GATEWAY_CONSOLE_ORIGIN: `http://127.0.0.1:${gateway.controlPlane.httpPort}`,
  });
  return gateway;
}
