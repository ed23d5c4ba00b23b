import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import type { MenuEntry } from '../../../ui/button/Menu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { PolicyForm } from './editor/PolicyForm.tsx'
import { settingsOf } from './settings.ts'

type What = 'edit' | 'activate' | 'deactivate' | 'delete'

export interface PolicyActs {
  /** Why policies cannot be edited. */
  readonly mayWrite: string | undefined
  /** The dialogs that the actions open. */
  readonly dialogs: ReactNode
  open(what: What, policy: Policy): void
  groupsFor(policy: Policy): readonly (readonly MenuEntry[])[]
}

const refresh = ['policies']

/** What can be done with a policy, in the list and on its page. @param removed called after a policy was deleted */
export function usePolicyActs(removed?: () => void): PolicyActs {
  const [shown, setShown] = useState<{ readonly what: What; readonly of: Policy } | null>(null)
  const close = () => setShown(null)
  const open = (what: What, of: Policy) => setShown({ what, of })
  const mayWrite = useCan()('settings:write') ? undefined : 'You don’t have permission to edit policies'
  const activate = useApiMutation((id: string) => api.policies.policies.activate.mutate({ id }), {
    refresh,
    done: ({ approval }) => toast(approval === null ? 'Policy activated' : 'Another person has to approve this'),
  })
  const deactivate = useApiMutation((id: string) => api.policies.policies.deactivate.mutate({ id }), {
    refresh,
    done: () => toast('Policy deactivated'),
  })
  const remove = useApiMutation((id: string) => api.policies.policies.remove.mutate({ id }), {
    refresh,
    done() {
      toast('Policy deleted')
      removed?.()
    },
  })
  const of = shown?.of
  const { name = '', id = '' } = of ?? {}
  const isShown = (what: What) => shown?.what === what
  return {
    mayWrite,
    open,
    groupsFor: (policy) => [
      [
        policy.status === 'active' || policy.status === 'awaiting_approval'
          ? { label: 'Deactivate policy', blocked: mayWrite, act: () => open('deactivate', policy) }
          : {
              label: 'Activate policy',
              blocked: mayWrite ?? cannotActivate(policy),
              act: () => open('activate', policy),
            },
        { label: 'Edit policy', blocked: mayWrite, act: () => open('edit', policy) },
      ],
      [{ label: 'Delete policy', danger: true, blocked: mayWrite, act: () => open('delete', policy) }],
    ],
    dialogs: (
      <>
        {of && isShown('edit') && <PolicyForm policy={of} close={close} />}
        <Confirm
          open={isShown('activate')}
          close={close}
          title={`Activate “${name}”?`}
          verb="Activate policy"
          act={() => activate.mutateAsync(id)}
        >
          {of && activationText(of)}
        </Confirm>
        <Confirm
          open={isShown('deactivate')}
          close={close}
          title={`Deactivate “${name}”?`}
          verb="Deactivate policy"
          act={() => deactivate.mutateAsync(id)}
        >
          Its devices are no longer evaluated, and its alerts are resolved. The rules and exceptions are kept.
        </Confirm>
        <Confirm
          danger
          open={isShown('delete')}
          close={close}
          title={`Delete “${name}”?`}
          verb="Delete policy"
          act={() => remove.mutateAsync(id)}
        >
          {of?.status === 'active' && `${count(of.counts.devices)} devices are no longer evaluated for it. `}
          Its results end and its alerts are resolved. You cannot undo this.
        </Confirm>
      </>
    ),
  }
}

/** Why a policy cannot be activated. */
export const cannotActivate = (policy: Policy): string | undefined =>
  policy.rules.length === 0 && settingsOf(policy).length === 0 ? 'Add a rule or a setting first' : undefined

const activationText = (policy: Policy): string => {
  const { rules, mode, assignments } = policy
  const [judged, set] = [many(rules.length, 'rule'), many(settingsOf(policy).length, 'setting')]
  const what = `Within seconds devices are evaluated for ${judged}, and ${set} take effect. `
  const where = assignments.length === 0 ? 'It is assigned to no device yet. ' : ''
  return `${what}${where}${mode === 'monitor' ? 'No alert opens.' : 'Devices that do not comply open alerts.'}`
}
