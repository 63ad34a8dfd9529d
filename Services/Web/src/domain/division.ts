/**
 * Divides an amount into shares that sum to it, to the last minor unit.
 *
 * Each share is rounded down. The units that are left over go, one each, to the largest
 * remainders; equal remainders get them in the order of the parts, cyclically, beginning at the
 * index that `startOf` gives. A negative amount is divided as its magnitude, then negated.
 * Source: the API's description of `addExpense` (largest remainder, Hamilton).
 */
export function proportional(
  units: bigint,
  weights: readonly bigint[],
  daysSince1970: number,
): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= 0n || weights.some((weight) => weight < 0n)) throw new RangeError('no weight');
  const magnitude = units < 0n ? -units : units;
  const shares = weights.map((weight) => (magnitude * weight) / total);
  const lost = weights.map((weight) => (magnitude * weight) % total);
  const left = magnitude - shares.reduce((sum, share) => sum + share, 0n);
  const start = startOf(magnitude, daysSince1970, weights.length);
  const cycle = weights.map((_, step) => (start + step) % weights.length);
  // Stable: those that lost the same stay in the order of the cycle.
  cycle.sort((one, other) => compare(lost[other] ?? 0n, lost[one] ?? 0n));
  for (const index of cycle.slice(0, Number(left))) shares[index] = (shares[index] ?? 0n) + 1n;
  return units < 0n ? shares.map((share) => -share) : shares;
}

/** The index at which the odd units begin, never negative. */
function startOf(magnitude: bigint, days: number, count: number): number {
  const rest = Number((BigInt(days) + magnitude) % BigInt(count));
  return rest < 0 ? rest + count : rest;
}

const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

export const equally = (units: bigint, count: number, daysSince1970: number): bigint[] =>
  proportional(units, new Array<bigint>(count).fill(1n), daysSince1970);
