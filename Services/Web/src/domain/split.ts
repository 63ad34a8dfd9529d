/** Divides a shared expense among people by the server's own rules, before it is saved. */
import { exponentOf } from './currency';
import { daysSince1970 } from './days';
import { equally, proportional } from './division';
import { decimalOf, unitsOf, type Money } from './units';

export type SplitKind = 'equal' | 'exact' | 'percent' | 'shares' | 'adjustment' | 'itemised';

export interface Part {
  readonly memberId: string;
  /** A decimal string: an amount, a percentage, shares, or more or less than the others. */
  readonly value?: string | undefined;
}

export interface Item {
  readonly amount: Money;
  readonly memberIds: readonly string[];
}

export interface Share {
  readonly memberId: string;
  readonly amount: string;
}

/** Why there are no shares yet; `left` is what still has to be given out, in the kind's own unit. */
export type SplitFault =
  | { readonly kind: 'nobody' | 'not-a-number' | 'below-nothing' }
  | { readonly kind: 'left'; readonly left: string; readonly unit: 'money' | 'percent' };

export type SplitResult =
  | { readonly kind: 'shares'; readonly shares: readonly Share[]; readonly odd: readonly string[] }
  | { readonly kind: 'fault'; readonly fault: SplitFault };

const PERCENT_SCALE = 6;
const SHARES_SCALE = 2;
const fault = (of: SplitFault): SplitResult => ({ kind: 'fault', fault: of });

/** @param day `YYYY-MM-DD` of the expense: it decides who gets the odd cent. */
export function split(
  amount: Money,
  day: string,
  kind: SplitKind,
  parts: readonly Part[],
): SplitResult {
  const scale = exponentOf(amount.currency);
  const units = unitsOf(amount.amount, scale);
  const days = daysSince1970(day);
  if (parts.length === 0) return fault({ kind: 'nobody' });
  try {
    const values = parts.map((part) => valueOf(part, kind, scale));
    return outcome(parts, dividedBy(kind, units, values, days, scale), scale, kind);
  } catch (error) {
    if (error instanceof SplitError) return fault(error.fault);
    if (error instanceof RangeError) return fault({ kind: 'not-a-number' });
    throw error;
  }
}

class SplitError extends Error {
  constructor(readonly fault: SplitFault) {
    super(fault.kind);
  }
}

function valueOf(part: Part, kind: SplitKind, scale: number): bigint {
  const value = part.value || '0';
  if (kind === 'percent') return unitsOf(value, PERCENT_SCALE);
  if (kind === 'shares') return unitsOf(value, SHARES_SCALE);
  return unitsOf(value, scale);
}

function dividedBy(
  kind: SplitKind,
  units: bigint,
  values: readonly bigint[],
  days: number,
  scale: number,
): bigint[] {
  const total = values.reduce((sum, value) => sum + value, 0n);
  switch (kind) {
    case 'equal':
      return equally(units, values.length, days);
    case 'exact':
      if (total !== units) throw leftOver(units - total, scale, 'money');
      return [...values];
    case 'percent': {
      const whole = 100n * 10n ** BigInt(PERCENT_SCALE);
      if (total !== whole) throw leftOver(whole - total, PERCENT_SCALE, 'percent');
      return proportional(units, values, days);
    }
    case 'shares':
      if (total <= 0n) throw new SplitError({ kind: 'nobody' });
      return proportional(units, values, days);
    case 'adjustment':
      return adjusted(units, values, days, total);
    case 'itemised':
      throw new SplitError({ kind: 'nobody' });
  }
}

const leftOver = (left: bigint, scale: number, unit: 'money' | 'percent'): SplitError =>
  new SplitError({ kind: 'left', left: trimmed(decimalOf(left, scale), unit), unit });

const trimmed = (decimal: string, unit: 'money' | 'percent'): string =>
  unit === 'money' ? decimal : decimal.replace(/\.?0+$/, '');

/** The same for each of what is left without the adjustments, and theirs on top. */
function adjusted(units: bigint, values: readonly bigint[], days: number, total: bigint): bigint[] {
  // The turn is the whole expense's; the division sees only the rest.
  const magnitude = (of: bigint) => (of < 0n ? -of : of);
  const rest = units - total;
  const turn = days + Number((magnitude(units) - magnitude(rest)) % BigInt(values.length));
  const shares = equally(rest, values.length, turn).map((share, i) => share + (values[i] ?? 0n));
  const isBelow = (share: bigint) => (units < 0n ? share > 0n : share < 0n);
  if (isBelow(rest) || shares.some(isBelow)) throw new SplitError({ kind: 'below-nothing' });
  return shares;
}

/** Each line is divided equally; what the bill is above or below them falls on all in proportion. */
export function splitItems(amount: Money, day: string, items: readonly Item[]): SplitResult {
  const scale = exponentOf(amount.currency);
  const units = unitsOf(amount.amount, scale);
  const days = daysSince1970(day);
  const had = new Map<string, bigint>();
  for (const item of items) {
    if (item.memberIds.length === 0) return fault({ kind: 'nobody' });
    const shares = equally(unitsOf(item.amount.amount, scale), item.memberIds.length, days);
    item.memberIds.forEach((id, index) => had.set(id, (had.get(id) ?? 0n) + (shares[index] ?? 0n)));
  }
  const parts = [...had.keys()].map((memberId) => ({ memberId }));
  const values = [...had.values()];
  if (values.some((value) => (units < 0n ? value > 0n : value < 0n))) {
    return fault({ kind: 'below-nothing' });
  }
  const weights = values.map((value) => (value < 0n ? -value : value));
  if (!weights.some((weight) => weight > 0n)) return fault({ kind: 'nobody' });
  return outcome(parts, proportional(units, weights, days), scale, 'itemised');
}

function outcome(
  parts: readonly Part[],
  shares: readonly bigint[],
  scale: number,
  kind: SplitKind,
): SplitResult {
  const least = shares.reduce((low, share) => (share < low ? share : low), shares[0] ?? 0n);
  const isUneven = kind === 'equal' && shares.some((share) => share !== least);
  return {
    kind: 'shares',
    shares: parts.map((part, index) => ({
      memberId: part.memberId,
      amount: decimalOf(shares[index] ?? 0n, scale),
    })),
    odd: isUneven ? parts.filter((_, i) => shares[i] !== least).map((part) => part.memberId) : [],
  };
}
