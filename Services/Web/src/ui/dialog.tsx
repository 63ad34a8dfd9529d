/** Dialogs and sheets: the browser's own <dialog>, which keeps the focus within and gives it back. */
import { useEffect, useId, useRef, type PointerEvent, type ReactNode } from 'react';
import * as words from '../generated/words';
import { Button, IconButton } from './button';

interface DialogProps {
  title: string;
  /** A title that only those hear who do not see the dialog. */
  isTitleHidden?: boolean;
  /** Beside the close button, in the place of the title. */
  head?: ReactNode;
  /** Asked before the dialog closes by Escape, by the close button or by a drag; false keeps it. */
  mayClose?: () => boolean;
  onClose: () => void;
  children: ReactNode;
}

const DRAG_CLOSES_PX = 110;

/** On phones a sheet from below, which can be dragged down; on wide screens a dialog. */
export function Dialog({ title, isTitleHidden, head, mayClose, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (shown && !shown.open) shown.showModal();
    return () => shown?.close();
  }, []);
  const close = () => {
    if (mayClose?.() ?? true) onClose();
  };
  return (
    <dialog
      ref={dialog}
      className="sheet"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onPointerDown={(event) => event.target === dialog.current && isOutside(event, dialog.current) && close()}
    >
      <Handle onDragged={close} of={dialog} />
      <div className="row between sheet-head">
        <h2 id={id} className={isTitleHidden ? 'unseen' : 'grow'}>{title}</h2>
        {head}
        <IconButton icon="x" label={words.close()} onClick={close} />
      </div>
      {children}
    </dialog>
  );
}

function isOutside(event: PointerEvent, dialog: HTMLElement): boolean {
  const box = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}

/** The bar on top of a sheet. The close button does the same, so that nobody has to drag. */
function Handle({ of, onDragged }: {
  of: { current: HTMLDialogElement | null };
  onDragged: () => void;
}) {
  const start = useRef<number>();
  const moved = (event: PointerEvent) => Math.max(
    0,
    event.clientY - (start.current ?? event.clientY),
  );
  const put = (pixels: number) => of.current?.style.setProperty('translate', `0 ${pixels}px`);
  return (
    <span
      className="handle"
      aria-hidden="true"
      onPointerDown={(event) => {
        start.current = event.clientY;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => start.current !== undefined && put(moved(event))}
      onPointerUp={(event) => {
        const isFar = moved(event) > DRAG_CLOSES_PX;
        start.current = undefined;
        put(0);
        if (isFar) onDragged();
      }}
    />
  );
}

interface ConfirmProps {
  title: string;
  /** The verb and its object: «Delete 41 transactions». */
  action: string;
  isDestructive?: boolean;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  action,
  isDestructive,
  isBusy,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack">{children}</div>
      <div className="row wrap ends">
        <Button look="line" onClick={onClose}>{words.goBack()}</Button>
        <Button look={isDestructive ? 'bad' : 'main'} isBusy={isBusy ?? false} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
