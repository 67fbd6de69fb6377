// Rates of all proxies together while Redis responds; this proxy's share of the state that Redis returned last while it
// does not. Requests under way are counted here all the time, because they do not end when Redis does.
import { RedisUnavailableError } from '../redis/connection.ts';
import type { LocalRates } from './local-rates.ts';
import type { RateDecision, RateQuestion, Rates } from './rates.ts';

export interface SharedRatesDeps {
  readonly redis: Rates;
  readonly local: LocalRates;
}

export function createSharedRates({ redis, local }: SharedRatesDeps): Rates {
  const follow = ({ limits }: RateQuestion, decision: RateDecision): RateDecision => {
    const { standings, reservation } = decision;
    return reservation === undefined ? decision : { standings, reservation: local.follow(limits, reservation) };
  };
  const wait = async (question: RateQuestion, pending: Promise<RateDecision>): Promise<RateDecision> => {
    try {
      const decision = await pending;
      local.hear(question.limits, decision.standings, decision.reservation !== undefined);
      return follow(question, decision);
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
      return local.take(question);
    }
  };
  return {
    take: (question) => {
      const decision = redis.take(question);
      // Of what this proxy has leased: Redis was not called.
      return decision instanceof Promise ? wait(question, decision) : follow(question, decision);
    },
  };
}
