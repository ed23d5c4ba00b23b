import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import { MonitorForm } from './MonitorForm.tsx'
import { ProbeAnswers } from './ProbeAnswers.tsx'

export type Asked = 'edit' | 'delete'

interface Props {
  readonly monitor: Monitor
  readonly asked: Asked
  close(): void
  /** The monitor was deleted. */
  gone?(): void
}

/** The form or question that an action on a monitor opens. */
export function MonitorQuestions({ monitor, asked, close, gone }: Props) {
  const remove = useApiMutation(() => api.monitors.monitors.remove.mutate({ id: monitor.id }), {
    refresh: gone ? [] : ['monitors'],
    done() {
      toast('Monitor deleted')
      gone?.()
    },
  })
  if (asked === 'edit') return <MonitorForm monitor={monitor} close={close} />
  return (
    <Confirm
      danger
      open
      close={close}
      title={`Delete “${monitor.name}”?`}
      verb="Delete monitor"
      act={() => remove.mutateAsync(undefined)}
    >
      Its results and alert rules are deleted too, and its open alerts are resolved. You cannot undo this.
    </Confirm>
  )
}

/** Pauses a monitor, or resumes it. */
export function usePause() {
  const pause = useApiMutation(
    ({ id, enabled }: Monitor) => api.monitors.monitors.update.mutate({ id, enabled: !enabled }),
    { refresh: ['monitors'], done: ({ enabled }) => toast(enabled ? 'Monitor resumed' : 'Monitor paused') },
  )
  return (monitor: Monitor) => pause.mutate(monitor, { onError: toastError })
}

/** Runs a check at once and shows what each probe found. */
export function useCheck() {
  const check = useApiMutation((id: string) => api.monitors.monitors.check.mutate({ id }), { refresh: ['monitors'] })
  return {
    busy: check.isPending,
    run: (id: string) => check.mutate(id, { onError: toastError }),
    shown: check.data && (
      <Dialog open title="Check results" close={check.reset} actions={<Button onClick={check.reset}>Done</Button>}>
        <ProbeAnswers answers={check.data.results} />
      </Dialog>
    ),
  }
}
