/** The month's spending by category. */
import type { CategoryReport, CategoryView } from '../../generated/api';
import type { Read } from '../../api/react';
import { monthName } from '../../domain/dates';
import { minorUnits, moneyOf, sum } from '../../domain/units';
import * as words from '../../generated/words';
import { moneyText } from '../../ui/amount';
import { Strip } from '../../ui/charts/small';
import { textOf } from '../../ui/refusals';
import { Card } from '../../ui/rows';
import { ErrorCard, Skeleton } from '../../ui/states';
import { dateLocale } from '../../ui/words';

const SHOWN = 4;

interface SpentProps {
  spent: Read<CategoryReport>;
  categories: readonly CategoryView[];
  day: string;
}

export function Spent({ spent, categories, day }: SpentProps) {
  const report = spent.body;
  if (spent.error && !report) {
    return <ErrorCard detail={textOf(spent.error)} onRetry={spent.retry} />;
  }
  if (!report) return <Skeleton kind="card" />;
  const names = new Map(categories.map((category) => [category.id, category.name]));
  const first = report.items.slice(0, SHOWN);
  const rest = report.items.slice(SHOWN);
  const others = sum(rest.map((one) => one.amount), report.currency);
  return (
    <Card title={words.homeSpent({ month: monthName(day, dateLocale()) })}>
      <p className="row wrap">
        <b className="num" data-size="xl">{moneyText(report.total)}</b>
        <Comparison report={report} />
      </p>
      {report.items.length === 0 ? (
        <p className="sub">{words.chartEmpty()}</p>
      ) : (
        <>
          <Strip
            values={[...first.map((one) => one.amount), ...(rest.length > 0 ? [others] : [])]}
          />
          <ul className="key">
            {first.map((one, index) => (
              <li key={one.categoryId}>
                <i className={`c${index + 1}`} />
                {names.get(one.categoryId) ?? ''}
                <span className="amt">{moneyText(one.amount)}</span>
              </li>
            ))}
            {rest.length > 0 ? (
              <li>
                <i className="c5" />{words.chartMore({ count: rest.length })}<span className="amt">{moneyText(others)}</span>
              </li>
            ) : null}
          </ul>
        </>
      )}
    </Card>
  );
}

function Comparison({ report }: { report: CategoryReport }) {
  if (!report.previous) return null;
  const change = minorUnits(report.total) - minorUnits({
    ...report.total,
    amount: report.previous.total.amount,
  });
  if (change === 0n) return null;
  const amount = moneyText(moneyOf(change < 0n ? -change : change, report.currency));
  return change < 0n ? (
    <span className="tag good">{words.homeSpentLess({ amount })}</span>
  ) : (
    <span className="tag">{words.homeSpentMore({ amount })}</span>
  );
}
