import { Link, type LinkProps } from '@tanstack/react-router'
import { Circle, CircleCheck } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Card } from '../../../ui/page/display.tsx'

interface Step {
  readonly label: string
  readonly hint: string
  readonly isDone: boolean
  readonly link: LinkProps
}

/** The first steps of a new company, until all are done. */
export function GettingStarted() {
  const isPartner = useMe().scope === 'partner'
  const can = useCan()
  const mayAll =
    isPartner && can('organizations:write') && can('devices:write') && can('users:invite') && can('users:read')
  const own = { enabled: mayAll, staleMs: 30_000 }
  const organizations = useApiQuery((api) => api.tenancy.organizations.all, {}, own).data?.data
  const keys = useApiQuery((api) => api.enrollment.keys.list, { limit: 1 }, own).data?.pagination.total
  const users = useApiQuery((api) => api.users.users.list, { limit: 1 }, own).data?.pagination.total
  const devices = useApiQuery((api) => api.devices.devices.list, { limit: 1, sort: 'hostname' }, own).data
  if (!mayAll || organizations === undefined || keys === undefined || users === undefined || devices === undefined)
    return null
  const hasDevice = 'devices' in devices && devices.devices.length > 0
  const steps: readonly Step[] = [
    {
      label: 'Create an organization',
      hint: 'Your first customer, or your own company.',
      isDone: organizations.length > 0,
      link: { to: '/organizations', search: { form: 'new' } },
    },
    {
      label: 'Create an enrollment key',
      hint: 'It adds devices to the organization.',
      isDone: keys > 0 || hasDevice,
      link: { to: '/enrollment' },
    },
    {
      label: 'Run its command on a machine',
      hint: 'The device appears here within seconds.',
      isDone: hasDevice,
      link: { to: '/enrollment' },
    },
    {
      label: 'Invite a colleague',
      hint: 'Their role sets what they can do.',
      isDone: users > 1,
      link: { to: '/users', search: { form: 'invite' } },
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Card title="Get started">
      <ol className="grid gap-3 md:grid-cols-4">
        {steps.map((step) => (
          <StepItem key={step.label} step={step} isNext={step === next} />
        ))}
      </ol>
    </Card>
  )
}

function StepItem({ step: { label, hint, isDone, link }, isNext }: { readonly step: Step; readonly isNext: boolean }) {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li aria-current={isNext ? 'step' : undefined} className="flex items-start gap-2 text-sm">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isDone ? 'text-good-text' : 'text-muted'}`} />
      <span className="grid">
        {isDone ? (
          <span className="text-muted">
            {label}
            <span className="sr-only"> (done)</span>
          </span>
        ) : (
          <Link {...link} className="rounded font-medium text-accent-text">
            {label}
          </Link>
        )}
        <span className="text-muted text-xs">{hint}</span>
      </span>
    </li>
  )
}
