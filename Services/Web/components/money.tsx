/** Amounts, rows, cards and long lists. */
import { Amount, HeroAmount } from '../src/ui/amount';
import { Spark, Strip } from '../src/ui/charts/small';
import { Guilloche, Logo } from '../src/ui/guilloche';
import { Face, Icon, Mark } from '../src/ui/icon';
import { AccountCard, Card, DayHead, Envelope, TransactionRow } from '../src/ui/rows';
import { iconNames } from '../src/generated/icons';
import { eur } from './data';
import { LongList } from './list';

const spark = [
  '9800',
  '9750',
  '9700',
  '10900',
  '10850',
  '11000',
  '11900',
  '11850',
  '12480',
].map((one) => eur(`${one}.52`));

export function MoneySamples() {
  return (
    <>
      <div className="two">
        <div className="stack wide">
          <section className="hero" aria-label="Hero">
            <Guilloche />
            <p className="sub">All your money, in euro</p>
            <HeroAmount money={eur('12480.52')} />
            <p className="sub">€684.10 more than a month ago</p>
            <Spark label="Balance over the last month" values={spark} />
            <div className="acts">
              <a href="#add"><span><Icon name="plus" /></span>Add</a>
              <a href="#send"><span><Icon name="send" /></span>Send</a>
              <a href="#split"><span><Icon name="split" /></span>Split</a>
              <a href="#import"><span><Icon name="upload" /></span>Import</a>
            </div>
          </section>
          <div className="accounts" tabIndex={0} role="group" aria-label="Accounts">
            <AccountCard
              to="#a"
              name="Everyday"
              kind="Current"
              icon="bank"
              color="#1f77b4"
              iban="IT60X0542811101000000123456"
              balance={eur('3912.40')}
            />
            <AccountCard
              to="#b"
              name="Cash"
              kind="Wallet"
              icon="wallet"
              color="#2ca02c"
              balance={eur('148.00')}
            />
            <AccountCard
              to="#c"
              name="Overdrawn"
              kind="Current"
              icon="bank"
              color="#17becf"
              balance={eur('-76.00')}
            />
            <AccountCard
              to="#d"
              name="Tokyo trip"
              kind="Wallet"
              icon="globe"
              color="#9467bd"
              balance={{ amount: '132450', currency: 'JPY' }}
              converted={eur('820.12')}
            />
          </div>
          <Card
            isFlush
            title="Rows"
            aside={<a className="link sub" href="#all">All transactions</a>}
          >
            <ul className="list">
              <li><DayHead title="Friday 27 November" sum={eur('-79.87')} /></li>
              <li>
                <TransactionRow
                  to="#1"
                  name="Esselunga"
                  about="Groceries · Everyday"
                  icon="cart"
                  color="#1f77b4"
                  money={eur('-48.37')}
                  below="Today"
                />
              </li>
              <li>
                <TransactionRow
                  to="#2"
                  isSelected
                  name="Salary November"
                  about="Salary · Everyday"
                  icon="briefcase"
                  color="#2ca02c"
                  money={eur('1942.00')}
                  below="Yesterday"
                />
              </li>
              <li>
                <TransactionRow
                  to="#3"
                  name="7-Eleven Shinjuku"
                  about="Groceries · Tokyo trip"
                  icon="globe"
                  color="#17becf"
                  money={{ amount: '-1240', currency: 'JPY' }}
                  converted={eur('-7.66')}
                />
              </li>
              <li>
                <TransactionRow
                  to="#4"
                  name="Everyday to Rainy days"
                  about="Between your accounts"
                  icon="swap"
                  money={eur('200.00')}
                  kind="transfer"
                />
              </li>
              <li>
                <TransactionRow
                  to="#5"
                  state="waiting"
                  name="Coffee Bar Luce"
                  about="Coffee · Cash"
                  icon="coffee"
                  color="#8c564b"
                  money={eur('-1.40')}
                />
              </li>
              <li>
                <TransactionRow
                  to="#6"
                  state="refused"
                  name="Cinema"
                  about="Leisure · Everyday"
                  icon="film"
                  color="#e377c2"
                  money={eur('-12.00')}
                />
              </li>
              <li>
                <TransactionRow
                  to="#7"
                  name={'A name that never ends '.repeat(8)}
                  about={'Donaudampfschifffahrtsgesellschaft'.repeat(4)}
                  icon="dots"
                  money={eur('-9999999999999.99')}
                />
              </li>
            </ul>
          </Card>
        </div>
        <div className="stack wide">
          <Card
            title="Spent in November"
            aside={<a className="link sub" href="#reports">Reports</a>}
          >
            <p className="row wrap">
              <b className="num" data-size="xl">€986.40</b><span className="tag good">€212 less than October by the 27th</span>
            </p>
            <Strip values={['334.20', '218.00', '176.85', '118.30', '139.05'].map(eur)} />
          </Card>
          <Card title="Budgets to watch">
            <div className="stack">
              <Envelope
                name="Groceries"
                icon="cart"
                color="#1f77b4"
                available={eur('65.80')}
                percent={52}
              />
              <Envelope
                name="Leisure"
                icon="film"
                color="#e377c2"
                available={eur('11.20')}
                percent={86}
              />
              <Envelope
                name="Restaurants"
                icon="restaurant"
                color="#d62728"
                available={eur('-6.85')}
                percent={104}
              />
            </div>
          </Card>
          <Card title="Amounts">
            <ul className="stack tight">
              <li className="row between">
                Expense <Amount money={eur('-12.50')} kind="movement" />
              </li>
              <li className="row between">
                Income <Amount money={eur('1942.00')} kind="movement" />
              </li>
              <li className="row between">
                Transfer <Amount money={eur('200.00')} kind="transfer" />
              </li>
              <li className="row between">Overspent <Amount money={eur('6.85')} kind="over" /></li>
              <li className="row between">
                Yen <Amount money={{ amount: '-1240', currency: 'JPY' }} kind="movement" />
              </li>
              <li className="row between">
                Dinar <Amount money={{ amount: '1.250', currency: 'KWD' }} />
              </li>
              <li className="row between">Zero <Amount money={eur('0.00')} kind="movement" /></li>
            </ul>
          </Card>
          <Card title="People and marks">
            <p className="row wrap">
              <Logo />
              {['Giulia Rossi', 'Marco Bianchi', 'Sofia', 'Ána', 'Łukasz Żak'].map((name) => (
                <Face key={name} name={name} />
              ))}
              <Face name="Marco Bianchi" size="l" />
              <Mark icon="cart" color="#1f77b4" />
              <Mark icon="star" color="#bcbd22" size="s" />
            </p>
          </Card>
          <Card isFlush title="A long list">
            <div className="long-list"><LongList count={24} /></div>
          </Card>
        </div>
      </div>
      <Card title="Symbols">
        <p className="row wrap symbols">
          {iconNames.map((name) => <Icon key={name} name={name} />)}
        </p>
      </Card>
    </>
  );
}
