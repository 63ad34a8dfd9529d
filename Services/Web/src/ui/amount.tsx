import { formatMoney, moneyParts, type Sign } from '../domain/money';
import { isNegative, isZero, type Money } from '../domain/units';
import { locale } from './words';

/** How an amount is meant: money in is green with a plus; own transfers have no sign. */
export type AmountKind = 'movement' | 'balance' | 'transfer' | 'over';

interface AmountProps {
  money: Money;
  kind?: AmountKind;
  /** The same in the user's currency, drawn beneath with ≈. */
  converted?: Money | undefined;
  /** A line beneath, when there is no conversion. */
  below?: string | undefined;
}

export function Amount({ money, kind = 'balance', converted, below }: AmountProps) {
  const sign: Sign = kind === 'movement' ? 'always' : kind === 'balance' ? 'minus' : 'never';
  const isIn = kind === 'movement' && !isNegative(money) && !isZero(money);
  const tone = isIn ? ' in' : kind === 'transfer' ? ' own' : kind === 'over' ? ' over' : '';
  const line = converted ? `≈ ${formatMoney(converted, locale())}` : below;
  return (
    <span className={`amt${tone}`}>
      {formatMoney(money, locale(), sign)}
      {line ? <span>{line}</span> : null}
    </span>
  );
}

/** The loudest amount of a page, its decimals small. */
export function HeroAmount({ money }: { money: Money }) {
  const { before, fraction, after } = moneyParts(money, locale());
  return (
    <p className="total">
      {before}
      <small>{fraction}</small>
      {after}
    </p>
  );
}

/** An amount within a sentence. */
export const moneyText = (
  money: Money,
  sign: Sign = 'minus',
): string => formatMoney(money, locale(), sign);
