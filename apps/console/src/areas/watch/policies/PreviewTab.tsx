import type { Severity } from '@muster/areas/platform/events/severity.contract.ts'
import { Route } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery, useFullList } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Options, SelectField } from '../../../ui/form/fields.tsx'
import { Card } from '../../../ui/page/display.tsx'
import { Note, Pending } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { PlaceFields } from '../../fleet/devices/PlaceFields.tsx'
import { DevicePicker } from '../../fleet/targets/DevicePicker.tsx'
import { SeverityField } from '../alerts/SeverityField.tsx'
import { usePolicies } from './usePolicies.ts'
import { useRecipients } from './useRecipients.ts'
import { stepTime, toldBy } from './words.ts'

interface Imagined {
  readonly orgId: string
  readonly siteId: string | null
  readonly deviceId: string | null
  readonly ruleId: string | null
  readonly severity: Severity
}

/** An imagined alert, and who would hear of it. */
export function PreviewTab() {
  const { org, site } = usePlace()
  const me = useMe()
  const [alert, setAlert] = useState<Imagined>({
    orgId: org ?? me.orgId ?? '',
    siteId: site ?? null,
    deviceId: null,
    ruleId: null,
    severity: 'critical',
  })
  const set = (part: Partial<Imagined>) => setAlert((now) => ({ ...now, ...part }))
  const { orgId, siteId } = alert
  const rules = useFullList((api) => api.alerts.rules.list, { orgId }, { enabled: orgId !== '' }).data ?? []
  const rule = rules.find(({ id }) => id === alert.ruleId)
  return (
    <div className="grid items-start gap-4 overflow-y-auto lg:grid-cols-[20rem_1fr]">
      <Card title="Alert">
        <div className="grid gap-4">
          <PlaceFields
            orgId={orgId}
            siteId={siteId}
            choose={(nextOrg, nextSite) =>
              set({
                orgId: nextOrg,
                siteId: nextSite,
                deviceId: null,
                ...(nextOrg === orgId ? {} : { ruleId: null }),
              })
            }
          />
          <DevicePicker
            label="Device"
            none="Any device of the site or organization."
            orgId={orgId}
            siteId={siteId}
            deviceId={alert.deviceId}
            choose={(deviceId) => set({ deviceId })}
          />
          <SelectField
            label="Rule"
            optional
            value={alert.ruleId ?? ''}
            onChange={({ target }) => set({ ruleId: target.value || null })}
          >
            <option value="">No rule</option>
            <Options of={rules} />
          </SelectField>
          <SeverityField value={alert.severity} choose={(severity) => set({ severity })} />
        </div>
      </Card>
      {orgId === '' ? (
        <Card title="Who would hear of it">
          <Note icon={Route} title="Select an organization">
            Policies depend on the organization of an alert.
          </Note>
        </Card>
      ) : (
        <Routes alert={alert} channelIds={rule?.channelIds ?? []} />
      )}
    </div>
  )
}

const firstMessage = (waitSeconds: number | undefined): string =>
  waitSeconds === undefined
    ? 'The first message follows shortly.'
    : `The first message follows ${many(waitSeconds, 'second')} after the alert.`

interface RoutesProps {
  readonly alert: Imagined
  /** The rule tells these beside its policies. */
  readonly channelIds: readonly string[]
}

function Routes({ alert, channelIds }: RoutesProps) {
  const answer = useApiQuery((api) => api.alertPolicies.policies.preview, alert, { keepLast: true })
  const recipients = useRecipients(alert.orgId)
  const policies = usePolicies().data ?? []
  const routes = answer.data?.routes
  const waitOf = (id: string) => policies.find((policy) => policy.id === id)?.groupWaitSeconds
  return (
    <Card title="Who would hear of it">
      {routes === undefined ? (
        <Pending answer={answer} lines={4} />
      ) : (
        <ul aria-label="Messages" className="grid gap-4 text-sm">
          {channelIds.length > 0 && (
            <li>
              <h3 className="font-semibold">The rule</h3>
              <p>
                At once:{' '}
                {toldBy({ afterMinutes: 0, channelIds: [...channelIds], userIds: [], roleIds: [] }, recipients)}
              </p>
            </li>
          )}
          {routes.map(({ policyId, name, steps, loops }) => (
            <li key={policyId} className="grid gap-1">
              <h3 className="font-semibold">{name}</h3>
              <p className="text-muted">
                {steps.length === 0
                  ? 'The policy has no steps. The alert is shown in the console only.'
                  : firstMessage(waitOf(policyId))}
              </p>
              <ol className="grid gap-1">
                {steps.map((step) => (
                  <li key={JSON.stringify(step)}>
                    <span className="font-medium">{stepTime(step)}:</span> {toldBy(step, recipients)}
                  </li>
                ))}
              </ol>
              {loops > 0 && <p className="text-muted">All steps are repeated {many(loops, 'time')}.</p>}
            </li>
          ))}
          {routes.length === 0 && (
            <li>No policy applies. People who can see the alert get a notification in the console.</li>
          )}
        </ul>
      )}
    </Card>
  )
}
