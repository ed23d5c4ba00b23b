import type { MonitorAlert } from '@muster/areas/watch/monitors/alerts/alerts.contract.ts'
import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useFullList } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { SeverityBadge } from '../alerts/status.tsx'
import { MonitorAlertForm } from './MonitorAlertForm.tsx'
import { conditionWords, responseTime } from './words.tsx'

type Open = { readonly what: 'new' } | { readonly what: 'edit' | 'delete'; readonly of: MonitorAlert }

/** When the monitor raises alerts. */
export function MonitorAlerts({ monitor }: { readonly monitor: Monitor }) {
  const answer = useFullList((client) => client.monitors.alerts.list, { monitorId: monitor.id })
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit monitors'
  const remove = useApiMutation((id: string) => api.monitors.alerts.remove.mutate({ id }), {
    refresh: ['monitors.alerts'],
    done: () => toast('Alert rule deleted'),
  })
  return (
    <Card
      title="Alert rules"
      actions={
        <Button small blocked={mayWrite} onClick={() => setOpen({ what: 'new' })}>
          <Plus aria-hidden className="size-3.5" />
          New alert rule
        </Button>
      }
    >
      {!answer.data ? (
        <Pending answer={answer} lines={2} />
      ) : answer.data.length === 0 ? (
        <p className="text-muted text-sm">The monitor raises no alerts. Create a rule to hear when it is offline.</p>
      ) : (
        <ul className="grid gap-1 text-sm">
          {answer.data.map((rule) => (
            <li key={rule.id} className="flex items-center justify-between gap-3">
              <span className="flex flex-wrap items-center gap-2">
                <SeverityBadge severity={rule.severity} />
                <span className="font-medium">{ruleWords(rule)}</span>
                <span className="text-muted">{detailWords(rule)}</span>
                {!rule.enabled && <Badge>Disabled</Badge>}
              </span>
              <RowMenu
                name={ruleWords(rule)}
                groups={[
                  [{ label: 'Edit alert rule', blocked: mayWrite, act: () => setOpen({ what: 'edit', of: rule }) }],
                  [
                    {
                      label: 'Delete alert rule',
                      danger: true,
                      blocked: mayWrite,
                      act: () => setOpen({ what: 'delete', of: rule }),
                    },
                  ],
                ]}
              />
            </li>
          ))}
        </ul>
      )}
      {open?.what === 'new' && <MonitorAlertForm monitor={monitor} close={close} />}
      {open?.what === 'edit' && <MonitorAlertForm monitor={monitor} rule={open.of} close={close} />}
      {open?.what === 'delete' && (
        <Confirm
          danger
          open
          close={close}
          title={`Delete the alert rule “${ruleWords(open.of)}”?`}
          verb="Delete alert rule"
          act={() => remove.mutateAsync(open.of.id)}
        >
          Its open alert is resolved. You cannot undo this.
        </Confirm>
      )}
    </Card>
  )
}

function ruleWords({ condition, threshold }: MonitorAlert): string {
  if (condition === 'responseTime') return `Slower than ${responseTime(threshold)}`
  if (condition === 'certificate') return `Certificate expires within ${many(threshold ?? 0, 'day')}`
  return conditionWords.get(condition) ?? condition
}

const detailWords = ({ consecutive, channelIds, policyId }: MonitorAlert): string =>
  [
    ...(consecutive > 1 ? [`${consecutive} rounds in a row`] : []),
    ...(channelIds.length > 0 ? [many(channelIds.length, 'channel')] : []),
    ...(policyId === null ? [] : ['own policy']),
  ].join(' · ')
