import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { AreaField, TextField } from '../../../ui/form/fields.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { quietSpans } from '../rules/snooze.ts'

const spans = [['', 'Until it is resolved'], ...quietSpans] as const

export type AlertAction = 'acknowledge' | 'resolve' | 'suppress'

export const actionWords: Readonly<
  Record<AlertAction, { readonly verb: string; readonly past: string; readonly hint: string }>
> = {
  acknowledge: {
    verb: 'Acknowledge',
    past: 'acknowledged',
    hint: 'Stops the steps of policies. Others see that you work on it.',
  },
  resolve: {
    verb: 'Resolve',
    past: 'resolved',
    hint: 'It stays quiet until its condition was false once.',
  },
  suppress: {
    verb: 'Suppress',
    past: 'suppressed',
    hint: 'No messages are sent while it is suppressed.',
  },
}

interface Given {
  readonly note?: string
  readonly reason?: string
  readonly until?: string
}

function actOn({ id }: Alert, action: AlertAction, { note, reason, until }: Given): Promise<unknown> {
  const { acknowledge, resolve, suppress } = api.alerts.alerts
  const noted = { id, ...(note && { note }) }
  if (action === 'resolve') return resolve.mutate(noted)
  if (action === 'acknowledge') return acknowledge.mutate({ ...noted, ...(until && { until }) })
  return suppress.mutate({ id, ...(until && { until }), ...(reason && { reason }) })
}

/** Changes the alerts one by one or together. @returns what to say */
async function perform(alerts: readonly Alert[], action: AlertAction, given: Given): Promise<string> {
  const [only] = alerts
  if (alerts.length === 1 && only !== undefined) {
    await actOn(only, action, given)
    return `Alert ${actionWords[action].past}`
  }
  const { changed, skipped } = await api.alerts.alerts.bulk.mutate({
    ids: alerts.map(({ id }) => id),
    action,
    ...given,
  })
  const [first] = skipped
  const left = first === undefined ? '' : `. ${many(skipped.length, 'alert')} skipped: ${first.message}`
  return `${many(changed.length, 'alert')} ${actionWords[action].past}${left}`
}

interface Props {
  readonly action: AlertAction
  readonly alerts: readonly Alert[]
  done?(): void
  close(): void
}
const minuteMs = 60_000

/** Asks for the details of an action on one or more alerts. */
export function AlertActionForm({ action, alerts, done, close }: Props) {
  const [text, setText] = useState('')
  const [minutes, setMinutes] = useState(action === 'suppress' ? '60' : '')
  const { verb, hint } = actionWords[action]
  const isLimited = action !== 'resolve'
  const change = useApiMutation(
    () => {
      const until = isLimited && minutes !== '' ? new Date(Date.now() + Number(minutes) * minuteMs).toISOString() : ''
      const words = text.trim()
      return perform(alerts, action, {
        ...(words !== '' && (action === 'suppress' ? { reason: words } : { note: words })),
        ...(until !== '' && { until }),
      })
    },
    {
      refresh: ['alerts', 'alertTemplates.correlations'],
      done(words) {
        toast(words)
        close()
        done?.()
      },
    },
  )
  const [only] = alerts
  return (
    <SideForm
      open
      close={close}
      title={alerts.length === 1 && only ? `${verb} “${only.title}”` : `${verb} ${many(alerts.length, 'alert')}`}
      description={hint}
      verb={`${verb} ${alerts.length === 1 ? 'alert' : 'alerts'}`}
      busy={change.isPending}
      error={change.error}
      submit={() => change.mutate(undefined)}
    >
      {isLimited && <ChoiceField label="For" value={minutes} options={spans} choose={setMinutes} />}
      {action === 'suppress' ? (
        <TextField label="Reason" optional value={text} onChange={({ target }) => setText(target.value)} />
      ) : (
        <AreaField label="Note" optional value={text} onChange={({ target }) => setText(target.value)} />
      )}
    </SideForm>
  )
}
