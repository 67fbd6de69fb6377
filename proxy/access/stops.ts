// Stops: what operators have switched off, for everybody or for their organization. A stop ends by the proxy's own
// clock. The platform's come first, because their reason is the one that an organization cannot change.
import { limitsModel } from '../../catalog/model-selector.ts';
import { GatewayError } from '../errors.ts';
import type { Principal, Stop } from './principal.ts';

/** The records that contain stops. */
export type Stoppable = Pick<Principal, 'organization' | 'platform'>;

/** A model at a provider. */
export interface StoppableModel {
  readonly provider: string;
  /** `<provider>/<model>`; undefined: something of the provider other than a model. */
  readonly model: string | undefined;
}

/** @param now milliseconds since 1970 */
export function stopOfModel(records: Stoppable, at: StoppableModel, now: number): Stop | undefined {
  return findStop(records, now, (stop) => !stop.directKeys && stopsModel(stop, at));
}

/** @param now milliseconds since 1970 */
export function stopOfDirectKeys(records: Stoppable, now: number): Stop | undefined {
  return findStop(records, now, ({ directKeys }) => directKeys);
}

/** Whether a model is stopped now, whenever the request's own records were read. */
export type IsStopped = (records: Stoppable, at: StoppableModel) => boolean;

/** @param records that know newer ones. @param now milliseconds since 1970 */
export function stoppedNow(records: { newest(records: Stoppable): Stoppable }, now: () => number): IsStopped {
  return (known, at) => stopOfModel(records.newest(known), at, now()) !== undefined;
}

/** The stops that have not ended, by who has made them. @param now milliseconds since 1970 */
export function openStops(stops: readonly Stop[] | undefined, now: number): readonly Stop[] {
  return (stops ?? []).filter((stop) => isOpen(stop, now));
}

export function stoppedError(stop: Stop): GatewayError {
  const { reason, endsAt } = stop;
  const end = endsAt === undefined ? '' : `; until ${new Date(endsAt).toISOString()}`;
  return new GatewayError('stopped_by_operator', {
    message: `${targetText(stop)} has been stopped by an operator: ${reason}${end}`,
    ...(!stop.directKeys && { param: 'model' }),
  });
}

function findStop({ platform, organization }: Stoppable, now: number, is: (stop: Stop) => boolean): Stop | undefined {
  const isMeant = (stop: Stop) => isOpen(stop, now) && is(stop);
  return platform?.stops.find(isMeant) ?? organization.stops?.find(isMeant);
}

function isOpen({ endsAt }: Stop, now: number): boolean {
  return endsAt === undefined || now < endsAt;
}

function stopsModel(stop: Stop, { provider, model }: StoppableModel): boolean {
  if (stop.provider !== undefined && stop.provider !== provider) return false;
  if (stop.model === undefined) return true;
  return model !== undefined && limitsModel(stop.model, model);
}

function targetText({ provider, model, directKeys }: Stop): string {
  return directKeys ? 'the use of direct provider keys' : `\`${model ?? provider ?? ''}\``;
}
