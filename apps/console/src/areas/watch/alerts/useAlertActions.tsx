import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { type ReactNode, useState } from 'react'
import { useCan } from '../../../session/session.tsx'
import { type AlertAction, AlertActionForm } from './AlertActionForm.tsx'

export interface AlertActions {
  readonly dialogs: ReactNode
  /** Why an action is not possible. */
  blocked(action: AlertAction, alerts: readonly Alert[]): string | undefined
  open(action: AlertAction, alerts: readonly Alert[]): void
}

/** What can be done with alerts, in lists and on their pages. @param done called after a change */
export function useAlertActions(done?: () => void): AlertActions {
  const [shown, setShown] = useState<{ readonly action: AlertAction; readonly alerts: readonly Alert[] } | null>(null)
  const mayAct = useCan()('alerts:acknowledge')
  return {
    open: (action, alerts) => setShown({ action, alerts }),
    blocked(action, alerts) {
      if (!mayAct) return 'You don’t have permission to act on alerts'
      const [only] = alerts
      if (only === undefined || alerts.length > 1) return undefined
      if (action === 'acknowledge') return only.status === 'active' ? undefined : `The alert is ${only.status}`
      return only.status === 'resolved' ? 'The alert is resolved' : undefined
    },
    dialogs: shown && <AlertActionForm {...shown} close={() => setShown(null)} {...(done && { done })} />,
  }
}
