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
  return {
    take: async (question: RateQuestion): Promise<RateDecision> => {
      try {
        const response = await redis.take(question);
        const { standings, reservation } = response;
        local.hear(question.limits, standings, reservation !== undefined);
        return reservation === undefined
          ? response
          : { standings, reservation: local.follow(question.limits, reservation) };
      } catch (error) {
        if (!(error instanceof RedisUnavailableError)) throw error;
        return local.take(question);
      }
    },
  };
}
