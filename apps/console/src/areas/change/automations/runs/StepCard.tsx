import { Action } from '@muster/areas/change/automations/runs/actions/actions.contract.ts'
import type { Run } from '@muster/areas/change/automations/runs/runs.contract.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../../ui/button/Button.tsx'
import { Card } from '../../../../ui/page/display.tsx'
import { count, duration, many } from '../../../../ui/text/quantity.ts'
import { actionName, actionText } from '../actionWords.ts'
import { useScriptNames } from '../useScriptNames.ts'
import { reasonText, StepBadge } from '../words.tsx'

type Step = Run['steps'][number]
type StepDevice = Step['devices'][number]

const firstShown = 10

/** One step of a run: how it stands as a whole, and on each device. Failed devices come first. */
export function StepCard({ step, runId }: { readonly step: Step; readonly runId: string }) {
  const [isWhole, setWhole] = useState(false)
  const { number, type, status, devices } = step
  const nameOf = useScriptNames(status === 'planned' ? [step] : [])
  const shown = isWhole ? devices : devices.slice(0, firstShown)
  return (
    <Card
      title={
        <>
          {number}. {actionName(type)}
        </>
      }
      actions={
        <span className="flex items-center gap-2 text-muted text-sm">
          {lengthOf(step)}
          <StepBadge status={status} />
        </span>
      }
    >
      <div className="grid gap-2">
        {devices.length > 1 && <p className="text-muted text-sm">{countsOf(devices)}</p>}
        <ul aria-label={`Devices of step ${number}`} className="grid divide-y divide-line text-sm">
          {shown.map((device) => (
            <DeviceRow key={device.deviceId ?? runId} device={device} nameOf={nameOf} />
          ))}
        </ul>
        {shown.length < devices.length && (
          <div>
            <Button small onClick={() => setWhole(true)}>{`Show all ${count(devices.length)}`}</Button>
          </div>
        )}
      </div>
    </Card>
  )
}

/** How long a step took. That of a dry run took no time. */
const lengthOf = ({ status, startedAt, finishedAt }: Step): string =>
  status === 'planned' || finishedAt === null ? '' : duration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)

function countsOf(devices: readonly StepDevice[]): string {
  const by = Map.groupBy(devices, ({ status }) => status)
  return `${many(devices.length, 'device')}: ${[...by].map(([status, list]) => `${count(list.length)} ${status}`).join(', ')}`
}

function DeviceRow({
  device: { deviceId, hostname, status, attempt, commandId, error, detail },
  nameOf,
}: {
  readonly device: StepDevice
  nameOf(scriptId: string): string | undefined
}) {
  return (
    <li className="grid gap-1 py-1.5">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 truncate">
          {deviceId === null ? (
            'Once for the run'
          ) : (
            <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:underline">
              {hostname ?? 'A deleted device'}
            </Link>
          )}
        </span>
        {attempt > 1 && <span className="text-muted text-xs">attempt {attempt}</span>}
        {deviceId !== null && commandId !== null && (
          <Link
            to="/devices/$deviceId"
            params={{ deviceId }}
            search={{ tab: 'commands', command: commandId }}
            className="rounded text-accent-text text-xs hover:underline"
          >
            Show command
          </Link>
        )}
        {deviceId !== null && <StepBadge status={status} />}
      </span>
      {error !== null && (
        <span className={`break-words text-xs ${status === 'failed' ? 'text-bad-text' : 'text-muted'}`}>
          {reasonText(error)}
        </span>
      )}
      {detail !== null && <Planned detail={detail} nameOf={nameOf} />}
    </li>
  )
}

interface PlannedProps {
  readonly detail: Readonly<Record<string, unknown>>
  nameOf(scriptId: string): string | undefined
}

/** What a device would get. */
function Planned({ detail, nameOf }: PlannedProps) {
  const action = Action.safeParse(detail).data
  const more = [detail.message, detail.body].filter((text) => typeof text === 'string' && text !== '')
  return (
    <span className="grid break-words text-muted text-xs">
      {action === undefined ? JSON.stringify(detail) : actionText(action, nameOf)}
      {more.map((text) => (
        <span key={String(text)} className="whitespace-pre-wrap">
          {String(text)}
        </span>
      ))}
    </span>
  )
}
