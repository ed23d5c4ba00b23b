import type { Window } from '@muster/areas/control/maintenance/windows.contract.ts'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { WindowForm } from './WindowForm.tsx'

export type Asked = 'edit' | 'cancel' | 'delete'

interface Props {
  readonly window: Window
  readonly asked: Asked
  close(): void
  /** The window was deleted. */
  gone?(): void
}

export const isOver = ({ status }: Window): boolean => status === 'completed' || status === 'cancelled'

/** The form or question that an action on a window opens. */
export function WindowActions({ window, asked, close, gone }: Props) {
  const { id, name, status } = window
  const refresh = ['maintenance']
  const cancel = useApiMutation(() => api.maintenance.windows.cancel.mutate({ id }), {
    refresh,
    done: () => toast('Maintenance window canceled'),
  })
  const remove = useApiMutation(() => api.maintenance.windows.remove.mutate({ id }), {
    refresh: gone ? [] : refresh,
    done() {
      toast('Maintenance window deleted')
      gone?.()
    },
  })
  if (asked === 'edit') return <WindowForm window={window} close={close} />
  if (asked === 'cancel')
    return (
      <Confirm
        danger
        open
        close={close}
        title={`Cancel “${name}”?`}
        verb="Cancel window"
        act={() => cancel.mutateAsync(undefined)}
      >
        {status === 'active' ? 'It ends now on its devices, and all' : 'All'} its later occurrences are canceled. You
        cannot undo this.
      </Confirm>
    )
  return (
    <Confirm
      danger
      open
      close={close}
      title={`Delete “${name}”?`}
      verb="Delete window"
      act={() => remove.mutateAsync(undefined)}
    >
      Its occurrences are deleted too, with what they suppressed. You cannot undo this.
    </Confirm>
  )
}
