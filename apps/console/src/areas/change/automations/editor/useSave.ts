import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { type AutomationDraft, automationOf, changesOf } from './automationDraft.ts'
import { type FaultAt, faultsOf } from './faults.ts'

interface Saved {
  readonly automation: Automation
  /** Of a webhook trigger that was just made. */
  readonly secret: string | undefined
}

interface Save {
  readonly isPending: boolean
  readonly error: unknown
  /** What the server said of the fields of this draft. */
  readonly faultAt: FaultAt
  send(): void
}

const none: FaultAt = () => undefined

/**
 * Creates the automation of a draft, or changes what differs from the draft before.
 * @param stored what is edited, with its draft
 */
export function useSave(
  draft: AutomationDraft,
  orgId: string | null,
  stored: { readonly id: string; readonly draft: AutomationDraft } | undefined,
  done: (saved: Saved) => void,
): Save {
  const [sent, setSent] = useState<AutomationDraft>()
  const save = useApiMutation(
    () =>
      stored === undefined
        ? api.automations.automations.create.mutate({
            ...automationOf(draft),
            enabled: draft.enabled,
            ...(orgId !== null && { orgId }),
          })
        : api.automations.automations.update.mutate({ id: stored.id, ...changesOf(draft, stored.draft) }),
    {
      refresh: ['automations', 'devices.approvals'],
      done({ secret, approval, ...automation }) {
        toast(approval === null ? 'Automation saved' : 'Automation saved. A second person has to approve it')
        done({ automation, secret })
      },
    },
  )
  return {
    isPending: save.isPending,
    error: save.error,
    faultAt: sent === draft ? faultsOf(save.error) : none,
    send() {
      setSent(draft)
      save.mutate(undefined)
    },
  }
}
