/** Charts with figures, and empty. */
import { lazy, Suspense } from 'react';
import { Bars } from '../src/ui/charts/bars';
import { Lines } from '../src/ui/charts/lines';
import { Pie } from '../src/ui/charts/pie';
import { Card } from '../src/ui/rows';
import { eur, slices } from './data';

const PlacesMap = lazy(() => import('../src/ui/map'));
const months = ['Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov'];
const of = (...amounts: number[]) => amounts.map((amount) => eur(amount.toFixed(2)));
const days = Array.from({ length: 28 }, (_, index) => `${index + 1} Nov`);
const pace = (each: number) => days.map((_, index) => eur(((index + 1) * each + 20 * Math.sin(index)).toFixed(2)));
const pins = [
  { id: 'p1', lat: 45.4642, lon: 9.19, label: 'Milan, €48.37' },
  { id: 'p2', lat: 45.47, lon: 9.175, label: 'Corso Vercelli, €31.50' },
];

export function ChartSamples() {
  return (
    <div className="two even">
      <div className="stack wide">
        <Card title="By category">
          <Pie
            label="Spending by category: Groceries are 34 percent"
            slices={slices}
            total={eur('986.40')}
            note="in 40 payments"
          />
        </Card>
        <Card title="Nothing yet">
          <Pie label="Spending by category" slices={[]} total={eur('0.00')} />
        </Card>
        <Card title="Months">
          <Bars
            label="Money in and out by month"
            labels={months}
            series={[
              { name: 'In', values: of(1942, 1942, 2100, 1942, 1942, 1942) },
              { name: 'Out', values: of(1204, 990, 1730, 1120, 1198, 986) },
            ]}
          />
        </Card>
        <Card title="Without figures">
          <Bars label="Nothing" labels={months} series={[{ name: 'Out', values: [] }]} />
        </Card>
      </div>
      <div className="stack wide">
        <Card title="Pace of the month">
          <Lines
            isArea
            label="Spent day by day: €986 by 28 November, €1,198 a month before"
            labels={days}
            series={[
              { name: 'November', values: pace(35) },
              { name: 'October', values: pace(43), isPrevious: true },
            ]}
          />
        </Card>
        <Card title="Net by month">
          <Bars
            label="Net by month"
            labels={months}
            series={[{ name: 'Net', values: of(420, -130, 260, -310, 744, 956) }]}
          />
        </Card>
        <Card title="Stacked">
          <Bars
            isStacked
            label="Spending by category and month"
            labels={months}
            series={[
              { name: 'Groceries', values: of(310, 290, 402, 320, 330, 334) },
              { name: 'Rent', values: of(218, 218, 218, 218, 218, 218) },
              { name: 'Leisure', values: of(90, 140, 300, 80, 66, 69) },
            ]}
          />
        </Card>
        <Card title="Places">
          <Suspense fallback={<p className="sub">Loading</p>}>
            <PlacesMap
              label="Where you spent"
              tiles="/tiles/{z}/{x}/{y}.png"
              attribution="© &lt;a&gt;OpenStreetMap&lt;/a&gt; contributors"
              minZoom={1}
              maxZoom={19}
              pins={pins}
            />
          </Suspense>
        </Card>
      </div>
    </div>
  );
}
