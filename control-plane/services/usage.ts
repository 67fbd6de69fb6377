// What was used.
export { later as exportEvents, later as totals };

async function later(): Promise<never> {
  throw new Error('not built yet');
}
