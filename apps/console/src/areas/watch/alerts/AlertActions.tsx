import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { BellOff, CircleCheck, Eye } from 'lucide-react'
import { SelectionBar } from '../../../shell/SelectionBar.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { type AlertAction, actionWords } from './AlertActionForm.tsx'
import type { AlertActions as Actions } from './useAlertActions.tsx'

interface Props {
  readonly alert: Alert
  readonly actions: Actions
}
const all: readonly AlertAction[] = ['acknowledge', 'resolve', 'suppress']
const icons = { acknowledge: Eye, resolve: CircleCheck, suppress: BellOff }

/** What a person can do with an alert, in its row. */
export const AlertMenu = ({ alert, actions }: Props) => (
  <RowMenu
    name={alert.title}
    groups={[
      all.map((action) => ({
        label: `${actionWords[action].verb} alert`,
        blocked: actions.blocked(action, [alert]),
        act: () => actions.open(action, [alert]),
      })),
    ]}
  />
)

/** What a person can do with an alert, on its page. */
export const AlertButtons = ({ alert, actions }: Props) =>
  all.map((action) => (
    <Button
      key={action}
      kind={action === 'acknowledge' ? 'primary' : 'plain'}
      blocked={actions.blocked(action, [alert])}
      onClick={() => actions.open(action, [alert])}
    >
      {actionWords[action].verb}
    </Button>
  ))

interface BarProps {
  readonly alerts: readonly Alert[]
  readonly actions: Actions
  clear(): void
}

/** The actions for the selected alerts. */
export const AlertBulkBar = ({ alerts, actions, clear }: BarProps) => (
  <SelectionBar
    count={alerts.length}
    one="alert"
    actions={all.map((action) => ({
      label: actionWords[action].verb,
      icon: icons[action],
      blocked: actions.blocked(action, alerts),
      act: () => actions.open(action, alerts),
    }))}
    clear={clear}
  />
)
