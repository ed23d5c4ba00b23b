import type { Run } from '@muster/areas/change/automations/runs/runs.contract.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useApiQuery } from '../../../../queries.ts'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { PendingPage } from '../../../../ui/page/PendingPage.tsx'
import { duration, many } from '../../../../ui/text/quantity.ts'
import { Moment } from '../../../../ui/text/time.tsx'
import { RunBadge, reasonText, starterText } from '../words.tsx'
import { DeviceCounts } from './DeviceCounts.tsx'
import { StepCard } from './StepCard.tsx'

const up = { label: 'Automations', to: '/automations' } as const
const liveMs = 1_500

/** One run of an automation, as it goes on: its steps, its devices and its log. */
export function RunPage() {
  const { automationId: id, runId } = useParams({ from: '/app/automations/$automationId/runs/$runId' })
  const automation = useApiQuery((api) => api.automations.automations.get, { id }, { staleMs: 60_000 }).data
  const answer = useApiQuery((api) => api.automations.runs.get, { runId }, { everyMs: liveMs })
  if (!answer.data) return <PendingPage title="Run" up={up} answer={answer} />
  const run = answer.data
  const name = automation?.name ?? 'Automation'
  return (
    <Page
      title={`${run.dryRun ? 'Dry run' : 'Run'} of ${name}`}
      up={up}
      badge={<RunBadge run={run} />}
      lead={leadOf(run)}
      actions={
        <Link
          to="/automations/$automationId"
          params={{ automationId: id }}
          className="rounded text-accent-text text-sm"
        >
          Show automation
        </Link>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
        <ol aria-label="Steps" className="grid gap-4">
          {run.steps.map((step) => (
            <li key={step.number}>
              <StepCard step={step} runId={run.id} />
            </li>
          ))}
          {run.steps.length === 0 && <li className="text-muted text-sm">{noSteps(run)}</li>}
        </ol>
        <div className="grid gap-4">
          <Summary run={run} />
          {run.log.length > 0 && <Log run={run} />}
        </div>
      </div>
    </Page>
  )
}

function leadOf({ reason, dryRun, devices, status }: Run): string | undefined {
  if (reason !== null) return reasonText(reason)
  if (dryRun) return `Nothing was done. ${many(devices.total, 'device')} would take part`
  return status === 'queued' ? 'It is about to start' : undefined
}

const noSteps = ({ status }: Run): string =>
  status === 'queued' || status === 'running' ? 'The first step is about to begin.' : 'No step was carried out.'

function Summary({ run }: { readonly run: Run }) {
  const { startedAt, finishedAt, createdAt, triggerKey, triggeredBy } = run
  const end = finishedAt === null ? null : Date.parse(finishedAt)
  const lasted = startedAt === null || end === null ? null : (end - Date.parse(startedAt)) / 1_000
  return (
    <Card title="Summary">
      <Facts
        onlyKnown
        facts={[
          ['Started by', starterText(run)],
          // A run by hand is named by its own id.
          ['Trigger key', triggeredBy === 'manual' ? null : <code key="key">{triggerKey}</code>],
          ['Devices', <DeviceCounts key="devices" run={run} />],
          ['Requested', <Moment key="created" at={createdAt} seconds />],
          ['Started', startedAt && <Moment key="started" at={startedAt} seconds />],
          ['Finished', finishedAt && <Moment key="finished" at={finishedAt} seconds />],
          ['Duration', lasted !== null && !run.dryRun ? duration(lasted) : null],
        ]}
      />
    </Card>
  )
}

function Log({ run: { log } }: { readonly run: Run }) {
  const lines = log.map((line, index) => ({ ...line, number: index + 1 }))
  return (
    <Card title="Log">
      <ol aria-label="Log" className="grid gap-2 border-line border-l pl-4 text-sm">
        {lines.map(({ at, message, number }) => (
          <li key={number} className="grid">
            <span className="break-words">{message}</span>
            <span className="text-muted text-xs">
              <Moment at={at} seconds />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
