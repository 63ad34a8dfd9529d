/** H1: what a person has, where it goes, and what was last. */
import { useWaitingTransactions } from '../../api/waiting';
import { relativeDay } from '../../domain/dates';
import * as words from '../../generated/words';
import { Icon, symbolOf } from '../../ui/icon';
import { Link } from '../../ui/link';
import { kindIcon, kindName } from '../../ui/kinds';
import { textOf } from '../../ui/refusals';
import { AccountCard, Card, TransactionRow, WaitingRow } from '../../ui/rows';
import { Empty, ErrorCard, Skeleton } from '../../ui/states';
import type { ScreenProps } from '../../ui/screen';
import { dateLocale } from '../../ui/words';
import { Spent } from './Spent';
import { Total } from './Total';
import { useHome } from './read';

export default function Home({ go }: ScreenProps) {
  const home = useHome();
  return (
    <div className="two">
      <div className="stack wide">
        <Total balances={home.balances} />
        <Accounts home={home} />
        <Latest home={home} onAdd={() => go('/transactions/new')} />
      </div>
      <div className="stack wide">
        <Spent spent={home.spent} categories={home.categories.body?.items ?? []} day={home.day} />
      </div>
    </div>
  );
}

type HomeData = ReturnType<typeof useHome>;

function Accounts({ home }: { home: HomeData }) {
  const { accounts } = home;
  if (accounts.error && !accounts.body) {
    return <ErrorCard detail={textOf(accounts.error)} onRetry={accounts.retry} />;
  }
  if (!accounts.body) return <Skeleton kind="card" />;
  return (
    <section aria-label={words.homeAccounts()}>
      <div className="accounts" tabIndex={0} role="group" aria-label={words.homeAccounts()}>
        {accounts.body.items.map((account) => (
          <AccountCard
            key={account.id}
            to={`/transactions?account=${account.id}`}
            name={account.name}
            kind={kindName(account.kind)}
            icon={account.icon ? symbolOf(account.icon) : kindIcon(account.kind)}
            iban={account.iban}
            balance={account.balance}
          />
        ))}
      </div>
    </section>
  );
}

function Latest({ home, onAdd }: { home: HomeData; onAdd: () => void }) {
  const { latest, categories, accounts, day } = home;
  const waiting = useWaitingTransactions();
  if (latest.error && !latest.body) {
    return <ErrorCard detail={textOf(latest.error)} onRetry={latest.retry} />;
  }
  const known = new Map((categories.body?.items ?? []).map((category) => [category.id, category]));
  const names = new Map((accounts.body?.items ?? []).map((account) => [account.id, account.name]));
  return (
    <Card
      isFlush
      title={words.homeLatest()}
      aside={<Link className="link sub" to="/transactions">{words.homeAll()}</Link>}
    >
      {!latest.body ? <Skeleton /> : null}
      {latest.body?.items.length === 0 && waiting.length === 0 ? (
        <Empty
          icon="wallet"
          action={<button type="button" className="btn small" onClick={onAdd}><Icon name="plus" /> {words.navAdd()}</button>}
        >
          {words.homeEmpty()}
        </Empty>
      ) : null}
      <ul className="list">
        {waiting.map((row) => (
          <li key={row.item.id}>
            <WaitingRow row={row} category={known.get(row.body.categoryId ?? '')} />
          </li>
        ))}
        {latest.body?.items.map((one) => {
          const category = known.get(one.categoryId);
          return (
            <li key={one.id}>
              <TransactionRow
                to={`/transactions?open=${one.id}`}
                name={one.name || category?.name || ''}
                about={one.transferId ? words.ownTransfer() : [
                  category?.name,
                  names.get(one.accountId),
                ].filter(Boolean).join(' · ')}
                icon={one.transferId ? 'swap' : symbolOf(category?.symbol)}
                color={one.transferId ? undefined : category?.color}
                money={one.amount}
                below={relativeDay(one.date, day, dateLocale())}
              />
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
