import type { devicePolicies } from '@muster/areas/change/device-policies/devices/devices.contract.ts'
import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Link } from '@tanstack/react-router'
import { ClipboardCheck } from 'lucide-react'
import { useApiQuery } from '../../../../queries.ts'
import { Badge, Card } from '../../../../ui/page/display.tsx'
import { Note, Pending } from '../../../../ui/page/states.tsx'
import { Ago } from '../../../../ui/text/time.tsx'
import { FailedRules } from '../page/FailedRules.tsx'
import { ComplianceBadge, levelText, modeText } from '../words.tsx'
import { EffectiveRules, EffectiveSettings } from './EffectiveRules.tsx'

type DevicePolicy = Awaited<ReturnType<typeof devicePolicies.get.output.parseAsync>>['policies'][number]

/** The policies of a device: what each found, and which rule holds, from where and why. */
export function DevicePoliciesTab({ device }: { readonly device: DeviceDetail }) {
  const answer = useApiQuery((client) => client.policies.devices.get, { id: device.id }, { everyMs: 5_000 })
  if (!answer.data) return <Pending answer={answer} />
  const { policies, rules, settings, evaluatedAt } = answer.data
  if (policies.length === 0)
    return (
      <Note icon={ClipboardCheck} title="No policies">
        No active configuration policy is assigned to the device.
      </Note>
    )
  return (
    <div className="grid gap-4">
      <p className="text-muted text-sm">
        Evaluated <Ago at={evaluatedAt} never="not yet" />
      </p>
      <ul aria-label="Policies" className="grid items-start gap-4 lg:grid-cols-2">
        {policies.map((policy) => (
          <li key={policy.policyId}>
            <PolicyCard policy={policy} />
          </li>
        ))}
      </ul>
      <EffectiveRules rules={rules} failed={policies.flatMap(({ failed }) => failed.map(({ key }) => key))} />
      <EffectiveSettings settings={settings} />
    </div>
  )
}

const skips = { os: 'It concerns other operating systems.', filter: 'The device does not match its filter.' } as const

function PolicyCard({ policy }: { readonly policy: DevicePolicy }) {
  const { policyId, name, level, mode, priority, status, skipped, failed } = policy
  return (
    <Card
      title={
        <Link to="/policies/$policyId" params={{ policyId }} className="rounded hover:text-accent-text hover:underline">
          {name}
        </Link>
      }
      actions={status === null ? <Badge>Not evaluated</Badge> : <ComplianceBadge status={status} />}
    >
      <div className="grid gap-3 text-sm">
        <p className="text-muted">
          Assigned by {levelText(level).toLowerCase()} · {modeText(mode)} · priority {priority}
        </p>
        {skipped !== null && <p>Does not apply: {skips[skipped]}</p>}
        {failed.length > 0 && <FailedRules of={failed} />}
      </div>
    </Card>
  )
}
