/**
 * Reads amounts as people type them.
 *
 * Comma and point are both decimals when one of them stands before the last digits and there are
 * at most as many of them as the currency has decimals. Three digits after the only separator are
 * a group («1.234» in euro), unless the currency has three decimals. Sums are allowed («12+7.50»).
 */
import { exponentOf } from './currency';
import { decimalOf } from './units';

export type AmountFault = 'not-a-number' | 'too-many-decimals' | 'too-large' | 'below-zero';
export type ReadAmount =
  | { readonly kind: 'empty' }
  | { readonly kind: 'amount'; readonly amount: string; readonly isSum: boolean }
  | { readonly kind: 'fault'; readonly fault: AmountFault };

const fault = (of: AmountFault): ReadAmount => ({ kind: 'fault', fault: of });

/** At most ten million million major units, as the API takes. */
const MOST = 10_000_000_000_000n;

export function readAmount(text: string, currency: string): ReadAmount {
  const typed = text.replace(/[\s\u00a0\u202f'’_]/g, '').replace(/[\u2212\u2013]/g, '-');
  if (typed === '') return { kind: 'empty' };
  const exponent = exponentOf(currency);
  const terms = typed.match(/[+-]?[\d.,]+/g);
  if (!terms || terms.join('') !== typed) return fault('not-a-number');
  let total = 0n;
  for (const term of terms) {
    const units = readTerm(term.replace(/^[+-]/, ''), exponent);
    if (typeof units === 'string') return fault(units);
    total += term.startsWith('-') ? -units : units;
  }
  if (total < 0n) return fault('below-zero');
  if (total > MOST * 10n ** BigInt(exponent)) return fault('too-large');
  return { kind: 'amount', amount: decimalOf(total, exponent), isSum: terms.length > 1 };
}

function readTerm(term: string, exponent: number): bigint | AmountFault {
  const last = Math.max(term.lastIndexOf('.'), term.lastIndexOf(','));
  if (last < 0) return unitsOrFault(term, '', exponent);
  const separator = term[last] ?? '';
  const other = separator === '.' ? ',' : '.';
  const before = term.slice(0, last);
  const after = term.slice(last + 1);
  const isRepeated = before.includes(separator);
  const isDecimal = !isRepeated && (after.length <= exponent || before.includes(other));
  if (isDecimal && after.length <= 3) {
    return isGrouped(before, other)
      ? unitsOrFault(before.split(other).join(''), after, exponent)
      : 'not-a-number';
  }
  if (!isGrouped(term, separator)) {
    const isFraction = !isRepeated && /^\d*$/.test(before) && /^\d+$/.test(after);
    return isFraction ? 'too-many-decimals' : 'not-a-number';
  }
  return unitsOrFault(term.split(separator).join(''), '', exponent);
}

/** Digits in groups of three, or without any group. */
function isGrouped(text: string, separator: string): boolean {
  const [first = '', ...groups] = text.split(separator);
  if (groups.length === 0) return /^\d*$/.test(first);
  return /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
}

function unitsOrFault(whole: string, fraction: string, exponent: number): bigint | AmountFault {
  if (!/^\d*$/.test(whole + fraction) || whole + fraction === '') return 'not-a-number';
  if (fraction.length > exponent) return 'too-many-decimals';
  if (whole.length > 15) return 'too-large';
  return BigInt((whole || '0') + fraction.padEnd(exponent, '0'));
}
