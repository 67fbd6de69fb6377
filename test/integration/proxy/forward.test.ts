// A sidecar that forwards: what it sends on and gives back, over mutual TLS to a real egress gateway.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForwardScene, type Egress, type ForwardScene } from '../../support/forward.ts';
import { chatRequest, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';

let gateway: TestGateway;
let scene: ForwardScene;
let egress: Egress;
let sidecar: TestProxy;
let key: string;

beforeAll(async () => {
  [gateway, scene] = await Promise.all([startGateway(), createForwardScene()]);
  egress = await scene.startEgress(gateway);
  key = (await gateway.organization.createKey()).value;
  sidecar = await scene.startSidecar(egress.url);
});
afterAll(async () => {
  await scene.close();
  await gateway.close();
});

describe('answers', () => {
  it('come as the egress gateway gives them', async () => {
    const answer = await fetch(`${sidecar.url}/v1/chat/completions`, chatRequest(key));
    expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    expect(answer.status).toBe(200);
  });
});
