// Where organizations are told of what happens.
export {
  later as create,
  later as get,
  later as list,
  later as listDeliveries,
  later as remove,
  later as rotateSecret,
  later as update,
};

async function later(): Promise<never> {
  throw new Error('not built yet');
}
