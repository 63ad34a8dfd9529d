import type { ReactNode } from 'react';
import * as words from '../generated/words';
import { Button } from './button';
import { Icon, type IconName } from './icon';

/** One line of what will be here, and one action. */
export function Empty({ icon, children, action }: {
  icon: IconName;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon"><Icon name={icon} /></span>
      <p>{children}</p>
      {action}
    </div>
  );
}

/** The final shape in grey, drawn after 150 ms. */
export function Skeleton({ rows = 5, kind = 'rows' }: {
  rows?: number;
  kind?: 'rows' | 'card' | 'hero';
}) {
  if (kind !== 'rows') {
    return <div className={`skeleton ${kind}`} role="status" aria-label={words.stateLoading()} />;
  }
  return (
    <div className="skeleton" role="status" aria-label={words.stateLoading()}>
      {Array.from({ length: rows }, (_, index) => (
        <div className="tx" key={index}>
          <i className="bone tile" />
          <span className="what">
            <i className="bone" />
            <i className="bone short" />
          </span>
          <i className="bone sum" />
        </div>
      ))}
    </div>
  );
}

export type NoteTone = 'info' | 'good' | 'warm' | 'bad';
const noteIcons: Record<NoteTone, IconName> = {
  info: 'info',
  good: 'check',
  warm: 'alert',
  bad: 'alert',
};

export function Note({ tone = 'info', children }: { tone?: NoteTone; children: ReactNode }) {
  return (
    <div className={tone === 'info' ? 'note' : `note ${tone}`}>
      <Icon name={noteIcons[tone]} />
      <div>{children}</div>
    </div>
  );
}

interface ErrorCardProps {
  /** Tells the user what to do, as a sentence. */
  detail: string;
  /** Finds the request in the operator's logs. */
  traceId?: string | undefined;
  onRetry?: () => void;
}

/** An error in the place of what could not be read; the rest of the page stays. */
export function ErrorCard({ detail, traceId, onRetry }: ErrorCardProps) {
  return (
    <div className="card stack" role="alert">
      <Note tone="bad">
        <b>{words.errorTitle()}</b>
        <p>{detail}</p>
        {traceId ? <p className="sub">{words.errorTrace({ traceId })}</p> : null}
      </Note>
      {onRetry ? (
        <div>
          <Button look="line" size="small" icon="refresh" onClick={onRetry}>
            {words.errorRetry()}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** The line that says how old the page is while there is no connection. */
export function OfflineLine({ since, waiting }: { since: string; waiting: number }) {
  return (
    <p className="offline" role="status">
      <Icon name="offline" />
      {words.offlineLine({ time: since })}
      {waiting > 0 ? ` ${words.offlineWaiting({ count: waiting })}` : ''}
    </p>
  );
}
