import type { RolloutDetail } from '@muster/areas/control/rollouts/rollouts.contract.ts'
import { useState } from 'react'
import type { z } from 'zod'
import { api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { count, duration } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { Rings } from './Rings.tsx'
import { rolloutStates } from './rolloutState.ts'

type Detail = z.infer<typeof RolloutDetail>
type Step = 'pause' | 'resume' | 'cancel'

const steps: Readonly<Record<Step, { readonly verb: string; readonly warning: string; readonly done: string }>> = {
  pause: {
    verb: 'Pause rollout',
    warning: 'No more devices are offered the version until you resume. Devices that have it keep it.',
    done: 'Rollout paused',
  },
  resume: {
    verb: 'Resume rollout',
    warning: 'It continues in its current stage. The failures so far no longer count.',
    done: 'Rollout resumed',
  },
  cancel: {
    verb: 'Cancel rollout',
    warning: 'It ends permanently. Devices keep their current version.',
    done: 'Rollout canceled',
  },
}

/** One rollout: its stages, its figures against its limits, and its actions. */
export function RolloutCard({ id }: { readonly id: string }) {
  const answer = useApiQuery((client) => client.rollouts.rollouts.get, { id }, { everyMs: 3_000, keepLast: true })
  const rollout = answer.data
  if (!rollout)
    return (
      <Card title="Rollout">
        <Pending answer={answer} lines={4} />
      </Card>
    )
  const { version, state, stages, stage, reason, devices } = rollout
  const [words, tone] = rolloutStates[state]
  const share = devices.offered > 0 ? devices.succeeded / devices.offered : 0
  return (
    <Card
      title={
        <span className="flex items-center gap-2.5">
          {version} <Badge tone={tone}>{words}</Badge>
        </span>
      }
      actions={<RolloutActions rollout={rollout} />}
    >
      <div className="flex flex-wrap items-center gap-x-10 gap-y-4">
        <Rings
          stages={stages}
          stage={stage}
          share={state === 'completed' ? 1 : share}
          tone={state === 'halted' ? 'bad' : state === 'paused' ? 'warn' : state === 'completed' ? 'good' : 'accent'}
        />
        <div className="grid min-w-72 flex-1 gap-4">
          {reason && state === 'halted' && (
            <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-bad-text text-sm">
              Halted automatically: {reason}. Check “Stuck updates” for the reports of the devices, then resume or
              cancel the rollout.
            </p>
          )}
          <Stages rollout={rollout} />
          <Limits rollout={rollout} />
        </div>
      </div>
    </Card>
  )
}

function Stages({ rollout: { stages, stage, state, stageAt, stageSeconds } }: { readonly rollout: Detail }) {
  const isOver = state === 'completed' || state === 'cancelled'
  return (
    <ol aria-label="Stages" className="flex flex-wrap gap-1.5 text-sm">
      {stages.map((reach, index) => {
        const isNow = !isOver && index + 1 === stage
        const isDone = state === 'completed' || index + 1 < stage
        return (
          <li
            key={reach}
            aria-current={isNow ? 'step' : undefined}
            className={`rounded-md px-2.5 py-1 tabular ${isNow ? 'bg-accent-soft font-medium text-accent-text' : isDone ? 'bg-good-soft text-good-text' : 'bg-sunken text-muted'}`}
          >
            {reach}%
          </li>
        )
      })}
      <li className="px-2 py-1 text-muted">
        {isOver ? (
          ''
        ) : (
          <>
            Current stage started <Ago at={stageAt} />, minimum {duration(stageSeconds)} per stage
          </>
        )}
      </li>
    </ol>
  )
}

function Limits({ rollout: { devices, successPercent, errorPercent } }: { readonly rollout: Detail }) {
  const share = (part: number) => (devices.offered > 0 ? (100 * part) / devices.offered : 0)
  const [good, bad] = [share(devices.succeeded), share(devices.failed)]
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Gauge
        label="Updated"
        percent={good}
        limit={successPercent}
        words={`${count(devices.succeeded)} of ${count(devices.offered)}; next stage at ${successPercent}%`}
        color={good >= successPercent ? 'bg-good' : 'bg-accent'}
      />
      <Gauge
        label="Failed"
        percent={bad}
        limit={errorPercent}
        words={`${count(devices.failed)} of ${count(devices.offered)}; halts above ${errorPercent}%`}
        color={bad > errorPercent ? 'bg-bad' : 'bg-warn'}
      />
    </div>
  )
}

interface GaugeProps {
  readonly label: string
  readonly percent: number
  readonly limit: number
  readonly words: string
  readonly color: string
}
function Gauge({ label, percent, limit, words, color }: GaugeProps) {
  return (
    <div className="grid gap-1 text-sm">
      <div className="flex items-baseline justify-between">
        <span className="text-muted">{label}</span>
        <span className="font-semibold tabular">{percent.toFixed(percent < 10 && percent > 0 ? 1 : 0)}%</span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuenow={Math.round(percent)}
        aria-valuemin={0}
        aria-valuemax={100}
        className="relative h-2 rounded-full bg-line"
      >
        <span className={`block h-full rounded-full ${color}`} style={{ width: `${Math.min(100, percent)}%` }} />
        <span aria-hidden className="absolute -top-0.5 h-3 w-0.5 bg-ink" style={{ left: `${Math.min(100, limit)}%` }} />
      </div>
      <span className="text-muted text-xs">{words}</span>
    </div>
  )
}

function RolloutActions({ rollout: { id, version, state } }: { readonly rollout: Detail }) {
  const [asking, setAsking] = useState<Step | null>(null)
  const refresh = useRefresh()
  const blocked = !useCan()('settings:write') && 'You don’t have permission to edit settings'
  if (state === 'completed' || state === 'cancelled') return null
  const step = asking && steps[asking]
  return (
    <span className="flex gap-2">
      {state === 'running' ? (
        <Button small blocked={blocked} onClick={() => setAsking('pause')}>
          Pause rollout
        </Button>
      ) : (
        <Button small blocked={blocked} onClick={() => setAsking('resume')}>
          Resume rollout
        </Button>
      )}
      <Button small blocked={blocked} onClick={() => setAsking('cancel')}>
        Cancel rollout
      </Button>
      {asking && step && (
        <Confirm
          open
          danger={asking === 'cancel'}
          close={() => setAsking(null)}
          title={`${step.verb} of ${version}?`}
          verb={step.verb}
          act={async () => {
            if (asking === 'resume') await api.rollouts.rollouts.resume.mutate({ id })
            else await api.rollouts.rollouts[asking].mutate({ id })
            toast(step.done)
            await refresh('rollouts')
          }}
        >
          {step.warning}
        </Confirm>
      )}
    </span>
  )
}
