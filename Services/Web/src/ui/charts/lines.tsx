/** Lines over time; the first one can be filled as an area. */
import { ChartFrame, colorOf, type Series } from './frame';
import { pixelsOf, plotOf, type Plot } from './scale';

interface LinesProps {
  label: string;
  labels: readonly string[];
  series: readonly Series[];
  isArea?: boolean;
  height?: number;
  onOpen?: (index: number) => void;
}

function pathOf(plot: Plot, values: readonly number[]): string {
  return values.map((value, index) => `${index === 0 ? 'M' : 'L'}${plot.x(index).toFixed(1)} ${plot.y(value).toFixed(1)}`).join('');
}

export function Lines({ label, labels, series, isArea, height = 220, onOpen }: LinesProps) {
  const values = series.map((one) => one.values.map(pixelsOf));
  return (
    <ChartFrame
      label={label}
      labels={labels}
      series={series}
      height={height}
      onOpen={onOpen}
      plot={(width) => plotOf(width, height, labels.length, values.flat())}
      draw={(plot, at) => (
        <>
          {values.map((numbers, index) => {
            const one = series[index];
            if (!one || numbers.length === 0) return null;
            const path = pathOf(plot, numbers);
            const color = colorOf(series, index);
            const end = plot.x(numbers.length - 1);
            return (
              <g key={one.name}>
                {isArea && index === 0 ? (
                  <path
                    className="ar"
                    style={{ fill: color }}
                    d={`${path}L${end} ${plot.y(0)}L${plot.x(0)} ${plot.y(0)}Z`}
                  />
                ) : null}
                <path
                  className={one.isPrevious ? 'ln prev' : 'ln'}
                  style={{ stroke: color }}
                  d={path}
                />
                {at !== undefined && numbers[at] !== undefined ? (
                  <circle
                    className="point"
                    style={{ fill: color }}
                    cx={plot.x(at)}
                    cy={plot.y(numbers[at] as number)}
                    r={5}
                  />
                ) : null}
              </g>
            );
          })}
        </>
      )}
    />
  );
}
