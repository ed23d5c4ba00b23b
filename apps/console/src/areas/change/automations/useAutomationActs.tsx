import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import type { MenuEntry } from '../../../ui/button/Menu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import { RunForm } from './runs/RunForm.tsx'
import { SecretDialog, type ShownSecret } from './SecretDialog.tsx'

type What = 'run' | 'rotate' | 'delete'

export interface AutomationActs {
  /** Why automations cannot be edited. */
  readonly mayWrite: string | undefined
  /** Whether a dry run is about to be answered. */
  readonly isTrying: boolean
  /** The dialogs that the actions open. */
  readonly dialogs: ReactNode
  open(what: What, automation: Automation): void
  /** Shows what each device would get. */
  tryOut(automation: Automation): void
  switchTo(enabled: boolean, automation: Automation): void
  showSecret(secret: ShownSecret): void
  groupsFor(automation: Automation): readonly (readonly MenuEntry[])[]
}

const refresh = ['automations', 'devices.approvals']

/** What can be done with an automation, in lists and on its page. @param removed called after one was deleted */
export function useAutomationActs(removed?: () => void): AutomationActs {
  const [shown, setShown] = useState<{ readonly what: What; readonly of: Automation } | null>(null)
  const [secret, setSecret] = useState<ShownSecret | null>(null)
  const close = () => setShown(null)
  const open = (what: What, of: Automation) => setShown({ what, of })
  const navigate = useNavigate()
  const can = useCan()
  const mayWrite = can('automations:write') ? undefined : 'You don’t have permission to edit automations'
  const mayDelete = can('automations:delete') ? undefined : 'You don’t have permission to delete automations'
  const dryRun = useApiMutation(({ id }: Automation) => api.automations.runs.run.mutate({ id, dryRun: true }), {
    refresh: ['automations.runs'],
    done: ({ id: runId, automationId }) =>
      void navigate({ to: '/automations/$automationId/runs/$runId', params: { automationId, runId } }),
  })
  type Switch = { readonly id: string; readonly enabled: boolean }
  const change = useApiMutation((given: Switch) => api.automations.automations.update.mutate(given), {
    refresh,
    done: ({ approval, enabled }) =>
      toast(approval !== null ? 'A second person has to approve it' : `Automation ${enabled ? 'enabled' : 'disabled'}`),
  })
  const rotate = useApiMutation(
    (id: string) => api.automations.automations.update.mutate({ id, rotateSecret: true as const }),
    { refresh, done: ({ id, secret: text }) => text !== undefined && setSecret({ id, text }) },
  )
  const remove = useApiMutation((id: string) => api.automations.automations.remove.mutate({ id }), {
    refresh,
    done() {
      toast('Automation deleted')
      removed?.()
    },
  })
  const tryOut = (automation: Automation) => dryRun.mutate(automation, { onError: toastError })
  const switchTo = (enabled: boolean, { id }: Automation) => change.mutate({ id, enabled }, { onError: toastError })
  const of = shown?.of
  return {
    ...{ mayWrite, isTrying: dryRun.isPending, open, tryOut, switchTo, showSecret: setSecret },
    groupsFor: (automation) => [
      [
        { label: 'Run now', blocked: mayWrite ?? whyNotRun(automation), act: () => open('run', automation) },
        { label: 'Dry run', blocked: mayWrite, act: () => tryOut(automation) },
        isOn(automation)
          ? { label: 'Disable automation', blocked: mayWrite, act: () => switchTo(false, automation) }
          : { label: 'Enable automation', blocked: mayWrite, act: () => switchTo(true, automation) },
        ...(automation.trigger.type === 'webhook'
          ? [{ label: 'Rotate secret', blocked: mayWrite, act: () => open('rotate', automation) }]
          : []),
      ],
      [{ label: 'Delete automation', danger: true, blocked: mayDelete, act: () => open('delete', automation) }],
    ],
    dialogs: (
      <>
        {of && shown?.what === 'run' && <RunForm automation={of} close={close} />}
        <Confirm
          open={shown?.what === 'rotate'}
          close={close}
          title={`Rotate the secret of “${of?.name ?? ''}”?`}
          verb="Rotate secret"
          act={() => rotate.mutateAsync(of?.id ?? '')}
        >
          You get a new secret. The present one is accepted for 24 hours.
        </Confirm>
        <Confirm
          danger
          open={shown?.what === 'delete'}
          close={close}
          title={`Delete “${of?.name ?? ''}”?`}
          verb="Delete automation"
          act={() => remove.mutateAsync(of?.id ?? '')}
        >
          Its runs are deleted too. Commands that were sent go on. You cannot undo this.
        </Confirm>
        <SecretDialog secret={secret} close={() => setSecret(null)} />
      </>
    ),
  }
}

/** Whether it starts by itself, or will once it is approved. */
const isOn = ({ status }: Automation): boolean => status === 'enabled' || status === 'awaiting_approval'

/** Why an automation cannot be started by hand. */
export const whyNotRun = ({ status }: Automation): string | undefined =>
  status === 'enabled' ? undefined : status === 'awaiting_approval' ? 'It waits for approval' : 'Enable it first'
