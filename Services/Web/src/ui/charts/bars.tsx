/** Bars side by side, or one on another. */
import { ChartFrame, colorOf, type Series } from './frame';
import { pixelsOf, plotOf, type Plot } from './scale';

interface BarsProps {
  label: string;
  labels: readonly string[];
  series: readonly Series[];
  isStacked?: boolean;
  height?: number;
  onOpen?: (index: number) => void;
}

/** Neighbours stand two pixels apart. */
const GAP = 2;

export function Bars({ label, labels, series, isStacked, height = 220, onOpen }: BarsProps) {
  const values = series.map((one) => one.values.map(pixelsOf));
  const tops = isStacked ? labels.map((_, at) => values.reduce(
    (sum, one) => sum + Math.max(0, one[at] ?? 0),
    0,
  )) : values.flat();
  return (
    <ChartFrame
      label={label}
      labels={labels}
      series={series}
      height={height}
      onOpen={onOpen}
      plot={(width) => plotOf(width, height, labels.length, tops, true)}
      draw={(plot, at) => labels.map((one, index) => (
        <g
          key={one + String(index)}
          className={at === undefined || at === index ? undefined : 'pale'}
        >
          {isStacked ? stack(plot, series, values, index) : group(plot, series, values, index)}
        </g>
      ))}
    />
  );
}

const bandOf = (plot: Plot): number => Math.min(48, Math.abs(plot.x(1) - plot.x(0)) * 0.72);

function group(plot: Plot, series: readonly Series[], values: readonly number[][], at: number) {
  const band = bandOf(plot);
  const width = Math.max(2, band / series.length - GAP);
  return series.map((one, index) => {
    const value = values[index]?.[at] ?? 0;
    const x = plot.x(at) - band / 2 + (band / series.length) * index;
    const [top, bottom] = value >= 0 ? [plot.y(value), plot.y(0)] : [plot.y(0), plot.y(value)];
    return (
      <rect
        key={one.name}
        style={{ fill: colorOf(series, index) }}
        x={x}
        y={top}
        width={width}
        height={Math.max(0, bottom - top)}
        rx={Math.min(4, width / 3)}
      />
    );
  });
}

function stack(plot: Plot, series: readonly Series[], values: readonly number[][], at: number) {
  const band = bandOf(plot);
  let sum = 0;
  return series.map((one, index) => {
    const value = Math.max(0, values[index]?.[at] ?? 0);
    const bottom = plot.y(sum);
    sum += value;
    const height = Math.max(0, bottom - plot.y(sum) - (value > 0 ? GAP : 0));
    return (
      <rect
        key={one.name}
        style={{ fill: colorOf(series, index) }}
        x={plot.x(at) - band / 2}
        y={plot.y(sum)}
        width={band}
        height={height}
        rx={Math.min(3, height / 2)}
      />
    );
  });
}
