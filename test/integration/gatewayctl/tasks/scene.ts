// Tasks of operators at live planes: what each needs, and the commands that it takes.
import { chatRequest } from '../../../support/gateway.ts';
import { type Gatewayctl, loggedIn, type Operated, startOperated } from '../../../support/gatewayctl.ts';
import { openServiceNetwork } from '../../../support/guardrails/services.ts';
import { until } from '../../../support/process.ts';
import { type Receiver, startReceiver } from '../../../support/webhook-receiver.ts';

export interface Task {
  /** In an operator's words. */
  readonly task: string;
  /** How many commands it takes. */
  readonly commands: number;
  /** One of the five that operators do most. */
  readonly isCommon?: true;
  /** Fails if it is not done. */
  run(scene: Scene): Promise<unknown>;
}

/** Not counted. */
interface Setting {
  readonly operated: Operated;
  readonly receiver: Receiver;
  readonly owner: Gatewayctl;
  /** @param options of keys create. @returns its value */
  key(name: string, ...options: string[]): Promise<string>;
  send(key: string, fields?: object): Promise<{ readonly id: string; readonly status: number }>;
  /** Sends requests until one ends so. @returns its id */
  untilStatus(key: string, status: number): Promise<string>;
}

export interface Scene {
  readonly set: Setting;
  readonly owner: Gatewayctl;
  /** An operator of the platform. */
  readonly platform: Gatewayctl;
  readonly member: Gatewayctl;
}

export interface Stage extends Scene {
  /** The commands since the last call. */
  counted(): number;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const network = await openServiceNetwork();
  const receiver = await startReceiver(network.authority);
  const operated = await startOperated({
    controlPlane: { GATEWAY_WEBHOOK_ADDRESSES: '127.0.0.0/8' },
    webhookNetwork: network.serviceNetwork,
  });
  const { owner, platform, gateway } = operated;
  await owner.expect('people create Mo --role member');
  const token = (await owner.expect('operator-tokens create laptop --person Mo')).trim();
  const member = await loggedIn(gateway.controlPlane.grpcPort, token);
  let commands = 0;
  const counting = (one: Gatewayctl): Gatewayctl => {
    const counted =
      <Arguments extends unknown[], Result>(run: (...given: Arguments) => Promise<Result>) =>
      (...given: Arguments) => {
        commands++;
        return run(...given);
      };
    return { ...one, run: counted(one.run), expect: counted(one.expect), json: counted(one.json) };
  };
  const send: Setting['send'] = async (key, fields = {}) => {
    const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(key, fields));
    await response.arrayBuffer();
    return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
  };
  return {
    set: {
      ...{ operated, receiver, owner, send },
      key: async (name, ...options) => (await owner.expect(['keys', 'create', name, ...options])).trim(),
      untilStatus: async (key, status) => {
        const ended = await until(async () => {
          const sent = await send(key);
          return sent.status === status && sent;
        });
        return ended.id;
      },
    },
    ...{ owner: counting(owner), platform: counting(platform), member: counting(member) },
    counted: () => {
      const count = commands;
      commands = 0;
      return count;
    },
    close: async () => {
      member.remove();
      await operated.close();
      await receiver.close();
      network.authority.remove();
    },
  };
}
