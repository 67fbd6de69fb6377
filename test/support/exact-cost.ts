// The cost of a usage in big-integer arithmetic, written without a look at the ledger's code, to check the ledger's.
import type { ModelPrices } from '../../proxy/catalog/models.ts';
import { special, type Usage } from '../../proxy/conversation/usage.ts';

/** Nano-dollars: femto-dollars per token, from the digits alone, rounded up once. */
export function exactCost(prices: Omit<ModelPrices, 'asOf'>, usage: Usage): bigint {
  const beside = usage.special ?? { ...special({ searches: 1 }).special, searches: 0 };
  const set = prices.serviceTiers?.[beside.serviceTier as 'priority'] ?? prices;
  const rates = set.tiers?.findLast((tier) => usage.promptTokens > tier.abovePromptTokens) ?? set;
  const factor = BigInt((prices.surcharges?.[beside.region ?? ''] ?? '1').replace('.', '').padEnd(5, '0'));
  const femto = (text: string) => {
    const [whole = '', decimals = ''] = text.split('.');
    // Nine decimals of the price with its surcharge, rounded up.
    return (BigInt(whole + decimals.padEnd(9, '0')) * factor + 9_999n) / 10_000n;
  };
  const { input, output, cacheRead = input, cacheWrite = input } = rates;
  const { cacheWrite1h = cacheWrite, audioInput = input } = rates;
  const { cacheWrite12h = cacheWrite1h, audioCacheRead = rates.audioInput ?? cacheRead } = rates;
  const { audioOutput = output, imageOutput = output } = rates;
  // A price that only the usual prices have still applies, unless its substitute is dearer.
  const own = (kind: 'audioInput' | 'audioCacheRead' | 'audioOutput' | 'imageOutput', substitute: string) =>
    rates[kind] === undefined && Number(prices[kind] ?? 0) > Number(substitute) ? (prices[kind] ?? '') : substitute;
  const fresh = usage.promptTokens - usage.cacheReadTokens - usage.cacheWriteTokens;
  const sound = (beside.audioPromptTokens ?? 0) - (beside.audioCacheReadTokens ?? 0);
  const long = beside.cacheWrite12hTokens ?? 0;
  const [spoken, acquired] = [beside.audioCompletionTokens ?? 0, beside.imageCompletionTokens ?? 0];
  const sum = (
    [
      [fresh - sound, input],
      [sound, own('audioInput', audioInput)],
      [usage.cacheReadTokens - (beside.audioCacheReadTokens ?? 0), cacheRead],
      [beside.audioCacheReadTokens ?? 0, own('audioCacheRead', audioCacheRead)],
      [usage.cacheWriteTokens - usage.cacheWrite1hTokens - long, cacheWrite],
      [usage.cacheWrite1hTokens, cacheWrite1h],
      [long, cacheWrite12h],
      [usage.completionTokens - spoken - acquired, output],
      [spoken, own('audioOutput', audioOutput)],
      [acquired, own('imageOutput', imageOutput)],
    ] as const
  ).reduce((all, [tokens, price]) => all + BigInt(tokens) * femto(price), 0n);
  return (sum + 999_999n) / 1_000_000n + exactCalls(prices, usage, acquired);
}

function exactCalls({ calls = {}, imageOutput }: Omit<ModelPrices, 'asOf'>, usage: Usage, acquired: number): bigint {
  if (usage.promptTokens + usage.completionTokens === 0) return 0n;
  const nano = (text = '0') => {
    const [whole = '', decimals = ''] = text.split('.');
    return BigInt(whole + decimals.padEnd(9, '0'));
  };
  const { searches = 0, images = 0 } = usage.special ?? {};
  const paidByTokens = imageOutput !== undefined && acquired > 0;
  return (
    nano(calls.request) +
    (searches > 0 ? nano(calls.groundedPrompt) : 0n) +
    BigInt(searches) * nano(calls.search) +
    (paidByTokens ? 0n : BigInt(images) * nano(calls.image))
  );
}
