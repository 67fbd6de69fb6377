// What stands in the books of budgets.
export { later as listUnsettled, later as listWindows, later as release };

async function later(): Promise<never> {
  throw new Error('not built yet');
}
