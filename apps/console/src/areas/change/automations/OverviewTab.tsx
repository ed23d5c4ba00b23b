import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { FilterExpression } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../../queries.ts'
import { Card, CopyText, Facts } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago, Moment } from '../../../ui/text/time.tsx'
import { useUserNames } from '../../access/users/useUserNames.ts'
import { useConditionWords } from '../../fleet/filters/conditionWords.ts'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { lengthText } from '../../watch/conditions/words.ts'
import { actionText } from './actionWords.ts'
import { DeviceCounts } from './runs/DeviceCounts.tsx'
import { triggerAddress } from './SecretDialog.tsx'
import { useScriptNames } from './useScriptNames.ts'
import { failureText, overlapChoices, RunBadge, starterText, triggerText } from './words.tsx'

const overlapWords = new Map<string, string>(overlapChoices)
const shownRuns = 5

/** What an automation does, and how it went lately. */
export function OverviewTab({ automation }: { readonly automation: Automation }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="grid gap-4">
        <Details automation={automation} />
        {automation.trigger.type === 'webhook' && <Address id={automation.id} />}
      </div>
      <div className="grid gap-4">
        <Work automation={automation} />
        <LastRuns automationId={automation.id} />
      </div>
    </div>
  )
}

function Details({ automation }: { readonly automation: Automation }) {
  const nameOf = useUserNames(automation.orgId ?? undefined)
  const { trigger, maxDevicesPerRun, maxRunsPerHour, cooldownSeconds } = automation
  return (
    <Card title="Details">
      <Facts
        onlyKnown
        facts={[
          ['Description', automation.description],
          ['Trigger', triggerText(trigger)],
          ['Cron expression', trigger.type === 'schedule' ? <code key="cron">{trigger.cron}</code> : null],
          ['Next run', automation.nextRunAt && <Moment key="next" at={automation.nextRunAt} />],
          ['Last run', <Ago key="last" at={automation.lastRunAt} />],
          ['Organization', <OrganizationLink key="org" orgId={automation.orgId} />],
          ['Acts in the name of', nameOf(automation.ownerId)],
          ['When an action fails', failureText(automation.onFailure)],
          ['Overlapping runs', overlapWords.get(automation.overlap)],
          ['Limits', `${many(maxDevicesPerRun, 'device')} per run, ${many(maxRunsPerHour, 'run')} per hour`],
          ['Cooldown', cooldownSeconds > 0 ? lengthText(cooldownSeconds) : null],
          ['Maintenance windows', automation.respectMaintenance ? 'Hold its devices back' : 'Do not matter'],
          ['Created by', automation.createdBy && nameOf(automation.createdBy)],
          ['Updated', <Moment key="updated" at={automation.updatedAt} />],
        ]}
      />
    </Card>
  )
}

const Address = ({ id }: { readonly id: string }) => (
  <Card title="Address">
    <div className="grid gap-2">
      <CopyText text={triggerAddress(id)} label="the address" wrap />
      <p className="text-muted text-sm">
        A POST with a signature as Standard Webhooks describes, or with a credential, starts a run. “Rotate secret” in
        the menu makes another secret.
      </p>
    </div>
  </Card>
)

function Work({ automation: { conditions, actions } }: { readonly automation: Automation }) {
  const wordsOf = useConditionWords()
  const nameOf = useScriptNames(actions)
  const numbered = actions.map((action, index) => ({ action, number: index + 1 }))
  const filter = FilterExpression.safeParse(conditions).data
  const parts = filter === undefined ? [] : 'all' in filter ? filter.all : [filter]
  return (
    <Card title="Actions">
      <div className="grid gap-3 text-sm">
        {parts.length > 0 && (
          <p>
            <span className="text-muted">On devices with</span> {parts.map(wordsOf).join(', ')}
          </p>
        )}
        <ol aria-label="Actions" className="grid list-decimal gap-1.5 pl-5">
          {numbered.map(({ action, number }) => (
            <li key={number} className="break-words">
              {actionText(action, nameOf)}
              <span className="text-muted">
                {action.retries > 0 && `, ${many(action.retries, 'retry', 'retries')}`}
                {action.onFailure && `. When it fails: ${failureText(action.onFailure).toLowerCase()}`}
              </span>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  )
}

function LastRuns({ automationId }: { readonly automationId: string }) {
  const answer = useApiQuery(
    (api) => api.automations.runs.list,
    { id: automationId, limit: shownRuns },
    { everyMs: 5_000 },
  )
  return (
    <Card title="Last runs">
      {!answer.data ? (
        <Pending answer={answer} lines={3} />
      ) : answer.data.data.length === 0 ? (
        <p className="text-muted text-sm">No runs yet. A dry run shows what each device would get.</p>
      ) : (
        <ul aria-label="Last runs" className="grid gap-2 text-sm">
          {answer.data.data.map((run) => (
            <li key={run.id} className="flex items-center gap-3">
              <RunBadge run={run} />
              <Link
                to="/automations/$automationId/runs/$runId"
                params={{ automationId, runId: run.id }}
                className="rounded font-medium hover:underline"
              >
                <Ago at={run.createdAt} />
              </Link>
              <span className="text-muted">{starterText(run)}</span>
              <span className="min-w-0 flex-1">
                <DeviceCounts run={run} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
