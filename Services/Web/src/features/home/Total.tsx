/** The page's one pine surface: the total, its last month, and what can be done. */
import type { BalanceReport } from '../../generated/api';
import type { Read } from '../../api/react';
import { minorUnits, moneyOf } from '../../domain/units';
import * as words from '../../generated/words';
import { HeroAmount, moneyText } from '../../ui/amount';
import { Spark } from '../../ui/charts/small';
import { Guilloche } from '../../ui/guilloche';
import { Icon } from '../../ui/icon';
import { Link } from '../../ui/link';
import { textOf } from '../../ui/refusals';
import { ErrorCard, Skeleton } from '../../ui/states';
import { locale } from '../../ui/words';

const currencyName = (code: string): string =>
  new Intl.DisplayNames(
    locale(),
    { type: 'currency' },
  ).of(code)?.toLocaleLowerCase(locale()) ?? code;

export function Total({ balances }: { balances: Read<BalanceReport> }) {
  const report = balances.body;
  if (balances.error && !report) {
    return <ErrorCard detail={textOf(balances.error)} onRetry={balances.retry} />;
  }
  if (!report) return <Skeleton kind="hero" />;
  const last = report.points[report.points.length - 1]?.balance ?? report.opening.balance;
  return (
    <section className="hero" aria-labelledby="total">
      <Guilloche />
      <p className="sub" id="total">
        {words.homeTotal({ currency: currencyName(report.currency) })}
      </p>
      <HeroAmount money={last} />
      <p className="sub">{difference(report, last.amount)}</p>
      <Spark label={words.homeLine()} values={report.points.map((point) => point.balance)} />
      <div className="acts">
        <Link to="/transactions/new"><span><Icon name="plus" /></span>{words.navAdd()}</Link>
        <Link to="/transactions"><span><Icon name="list" /></span>{words.navTransactions()}</Link>
      </div>
    </section>
  );
}

function difference(report: BalanceReport, last: string): string {
  const { currency } = report;
  const change = minorUnits({ amount: last, currency }) - minorUnits(report.opening.balance);
  if (change === 0n) return words.homeSame();
  const amount = moneyText(moneyOf(change < 0n ? -change : change, currency));
  return change > 0n ? words.homeMore({ amount }) : words.homeLess({ amount });
}
