/** Positions of a chart. Doubles are for pixels only: figures are written from decimal strings. */
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Money } from '../../domain/units';
import { locale } from '../words';

export const pixelsOf = (money: Money): number => Number(money.amount);

/** Round steps from the least to the greatest value, zero among them. */
export function ticksOf(values: readonly number[], count = 4): number[] {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const span = high - low || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.floor(low / step); at * step < high + step * 0.999; at++) ticks.push(at * step);
  return ticks.length > 1 ? ticks : [0, step];
}

/** «1k», «2.5k»: for axes, where the table has the figures. */
export const axisText = (value: number): string =>
  new Intl.NumberFormat(
    locale(),
    { notation: 'compact', maximumFractionDigits: 1 },
  ).format(value).replace('-', '−');

export interface Plot {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly ticks: readonly number[];
}

export const BOTTOM = 26;
export const TOP = 10;

/** @param count how many points stand side by side; @param isBand whether each has a band of its own. */
export function plotOf(
  width: number,
  height: number,
  count: number,
  values: readonly number[],
  isBand = false,
): Plot {
  const ticks = ticksOf(values);
  const low = ticks[0] ?? 0;
  const high = ticks[ticks.length - 1] ?? 1;
  const left = 10 + Math.max(...ticks.map((tick) => axisText(tick).length)) * 8;
  const right = isBand ? 0 : 8;
  const inner = Math.max(1, width - left - right);
  const step = isBand ? inner / Math.max(1, count) : inner / Math.max(1, count - 1);
  return {
    width,
    height,
    left,
    ticks,
    x: (index) => left + step * (isBand ? index + 0.5 : index),
    y: (value) => TOP + (height - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1)),
  };
}

/** The width that a chart has: it is laid out for it, and its text is never scaled. */
export function useWidth(): [RefObject<HTMLDivElement>, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

/** Which labels of the axis are written, so that they do not touch. */
export function labelSteps(count: number, width: number, letters: number): number {
  const room = Math.max(1, Math.floor(width / (letters * 7 + 30)));
  return Math.max(1, Math.ceil(count / room));
}
