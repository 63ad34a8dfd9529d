/** The frame of every chart: a sentence, axes, a way through its points by keyboard, a table. */
import { useId, useState, type ReactNode } from 'react';
import type { Money } from '../../domain/units';
import * as words from '../../generated/words';
import { moneyText } from '../amount';
import { axisText, BOTTOM, labelSteps, useWidth, type Plot } from './scale';

export interface Series {
  readonly name: string;
  readonly values: readonly Money[];
  /** The period before: grey and dashed. */
  readonly isPrevious?: boolean;
}

export const colorOf = (series: readonly Series[], index: number): string => {
  if (series[index]?.isPrevious) return 'var(--c8)';
  const number = series.slice(0, index).filter((one) => !one.isPrevious).length;
  return `var(--c${(number % 8) + 1})`;
};

interface FrameProps {
  /** The chart in one sentence. */
  label: string;
  labels: readonly string[];
  series: readonly Series[];
  height: number;
  plot: (width: number) => Plot;
  draw: (plot: Plot, at: number | undefined) => ReactNode;
  /** Opens what a point is made of. */
  onOpen?: ((index: number) => void) | undefined;
}

export function ChartFrame({
  label,
  labels,
  series,
  height,
  plot: plotFor,
  draw,
  onOpen,
}: FrameProps) {
  const [box, width] = useWidth();
  const [at, setAt] = useState<number>();
  const plot = plotFor(Math.max(200, width));
  const isEmpty = series.every((one) => one.values.length === 0);
  const values = (index: number) =>
    series.flatMap((one) => (one.values[index] ? [`${one.name} ${moneyText(one.values[index] as Money)}`] : [])).join(', ');
  return (
    <figure className="figure">
      <div
        className="figure-box"
        ref={box}
        style={{ height }}
        onMouseLeave={() => setAt(undefined)}
      >
        {width > 0 ? (
          <svg
            className="chart"
            width={plot.width}
            height={height}
            role="img"
            aria-label={isEmpty ? words.chartEmpty() : label}
          >
            <Axes plot={plot} labels={labels} isEmpty={isEmpty} />
            {isEmpty ? null : draw(plot, at)}
            {labels.map((one, index) => (
              <rect
                key={one + String(index)}
                className="hit"
                x={plot.x(index) - hitWidth(plot, labels.length) / 2}
                y={0}
                width={hitWidth(plot, labels.length)}
                height={height - BOTTOM}
                onMouseEnter={() => setAt(index)}
                onClick={() => onOpen?.(index)}
              />
            ))}
          </svg>
        ) : null}
        {labels.length > 0 && !isEmpty ? (
          <input
            className="unseen walk"
            type="range"
            min={0}
            max={labels.length - 1}
            value={at ?? labels.length - 1}
            aria-label={words.chartWalk({ label })}
            aria-valuetext={`${labels[at ?? labels.length - 1] ?? ''}: ${values(at ?? labels.length - 1)}`}
            onFocus={() => setAt(at ?? labels.length - 1)}
            onBlur={() => setAt(undefined)}
            onChange={(event) => setAt(Number(event.target.value))}
            onKeyDown={(event) => event.key === 'Enter' && at !== undefined && onOpen?.(at)}
          />
        ) : null}
        {at !== undefined && !isEmpty ? (
          <Tip x={plot.x(at)} width={plot.width} title={labels[at] ?? ''} series={series} at={at} />
        ) : null}
      </div>
      {isEmpty ? <figcaption className="sub center">{words.chartEmpty()}</figcaption> : <ChartTable labels={labels} series={series} />}
    </figure>
  );
}

const hitWidth = (plot: Plot, count: number) => (plot.width - plot.left) / Math.max(1, count);

function Axes({ plot, labels, isEmpty }: {
  plot: Plot;
  labels: readonly string[];
  isEmpty: boolean;
}) {
  const letters = Math.max(1, ...labels.map((one) => one.length));
  const step = labelSteps(labels.length, plot.width - plot.left, letters);
  const right = plot.width;
  return (
    <g aria-hidden="true">
      {plot.ticks.map((tick) => (
        <g key={tick}>
          <line
            className={tick === 0 ? 'axis' : 'grid'}
            x1={plot.left}
            x2={right}
            y1={plot.y(tick)}
            y2={plot.y(tick)}
          />
          {isEmpty ? null : <text x={plot.left - 6} y={plot.y(tick) + 4} textAnchor="end">{axisText(tick)}</text>}
        </g>
      ))}
      {labels.map((one, index) =>
        isEmpty || (labels.length - 1 - index) % step !== 0 ? null : (
          <text
            key={one + String(index)}
            x={plot.x(index)}
            y={plot.height - 6}
            textAnchor={anchor(plot, index, labels.length)}
          >
            {one}
          </text>
        ),
      )}
    </g>
  );
}

/** The last label ends where the chart ends. */
const anchor = (plot: Plot, index: number, count: number): 'middle' | 'end' | 'start' =>
  plot.x(index) > plot.width - 20 ? 'end' : index === 0 && count > 1 && plot.x(0) <= plot.left ? 'start' : 'middle';

interface TipProps {
  x: number;
  width: number;
  title: string;
  series: readonly Series[];
  at: number;
}

function Tip({ x, width, title, series, at }: TipProps) {
  const isRight = x > width / 2;
  return (
    <div
      className="tip"
      aria-hidden="true"
      style={isRight ? { right: width - x + 12 } : { left: x + 12 }}
    >
      <b>{title}</b>
      {series.map((one, index) => (
        <span className="row" key={one.name}>
          <i className="swatch" style={{ background: colorOf(series, index) }} />
          <span className="grow">{one.name}</span>
          <span className="num">{one.values[at] ? moneyText(one.values[at] as Money) : '–'}</span>
        </span>
      ))}
    </div>
  );
}

/** The same figures as the chart, folded away until they are wanted. */
export function ChartTable({ labels, series }: {
  labels: readonly string[];
  series: readonly Series[];
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <figcaption className="row between wrap">
        <span className="key inline">
          {series.map((one, index) => (
            <span className="row" key={one.name}>
              <i className="swatch" style={{ background: colorOf(series, index) }} />{one.name}
            </span>
          ))}
        </span>
        <button
          type="button"
          className="link"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? words.chartHideTable() : words.chartShowTable()}
        </button>
      </figcaption>
      <div
        id={id}
        className="scrollx"
        hidden={!isOpen}
        tabIndex={isOpen ? 0 : undefined}
        role="region"
        aria-label={words.chartFigures()}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{words.chartWhen()}</th>
              {series.map((one) => <th scope="col" className="n" key={one.name}>{one.name}</th>)}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, row) => (
              <tr key={label + String(row)}>
                <th scope="row">{label}</th>
                {series.map((one) => (
                  <td className="n" key={one.name}>
                    {one.values[row] ? moneyText(one.values[row] as Money) : '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
