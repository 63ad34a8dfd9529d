/** Deletes at once and offers to take it back, rather than asking before. */
import * as words from '../../generated/words';
import { textOf } from '../../ui/refusals';
import { toast } from '../../ui/toast';
import { removeAll, restore } from './write';

export async function removeWithUndo(ids: readonly string[]): Promise<void> {
  const deletion = await removeAll(ids);
  const undo = () => void restore(deletion).catch((failed) => toast({ text: textOf(failed) }));
  toast({ text: words.deleted({ count: ids.length }), action: { label: words.undo(), run: undo } });
}
