/** Amounts as whole minor units. Amounts are decimal strings outside; no double ever holds money. */
import { exponentOf } from './currency';

/** An amount as the API writes it. */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/**
 * A decimal string as units of 10 to minus `scale`.
 * @throws RangeError when it is no decimal, or has more decimals.
 */
export function unitsOf(decimal: string, scale: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (!match) throw new RangeError(`no decimal: ${decimal}`);
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.length > scale) throw new RangeError(`more than ${scale} decimals: ${decimal}`);
  const units = BigInt(whole + fraction.padEnd(scale, '0'));
  return sign ? -units : units;
}

/** Units of 10 to minus `scale` as a decimal string with exactly that many decimals. */
export function decimalOf(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale > 0 ? `.${digits.slice(-scale)}` : '';
  return `${units < 0n ? '-' : ''}${whole}${fraction}`;
}

export const minorUnits = (money: Money): bigint =>
  unitsOf(money.amount, exponentOf(money.currency));

export const moneyOf = (units: bigint, currency: string): Money => ({
  amount: decimalOf(units, exponentOf(currency)),
  currency,
});

/** The sum of amounts of one currency. */
export function sum(amounts: readonly Money[], currency: string): Money {
  return moneyOf(
    amounts.reduce((total, one) => total + minorUnits(one), 0n),
    currency,
  );
}

export const negated = (money: Money): Money => moneyOf(-minorUnits(money), money.currency);
export const isNegative = (money: Money): boolean => money.amount.startsWith('-');
export const isZero = (money: Money): boolean => /^-?[0.]+$/.test(money.amount);
