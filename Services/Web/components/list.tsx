/** A list of any length. */
import { useMemo } from 'react';
import { TransactionRow } from '../src/ui/rows';
import { VirtualList } from '../src/ui/virtual-list';
import { eur } from './data';

const rowHeight = () => 64;

export function LongList({ count }: { count: number }) {
  const numbers = useMemo(() => Array.from({ length: count }, (_, index) => index), [count]);
  return (
    <VirtualList
      label="Long list"
      rows={numbers}
      total={count}
      keyOf={String}
      heightOf={rowHeight}
      draw={(one) => <TransactionRow to={`#n${one}`} name={`Number ${one + 1}`} about="Groceries · Everyday" icon="cart" color="#1f77b4" money={eur(`-${one}.50`)} />}
    />
  );
}
