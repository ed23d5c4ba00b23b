import type { Execution } from '@muster/areas/change/scripts/executions/executions.contract.ts'
import type { ParameterValue } from '@muster/areas/change/scripts/parameters.contract.ts'
import { Link } from '@tanstack/react-router'
import { api } from '../../../../api.ts'
import { useApiQuery } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { Details } from '../../../../ui/dialog/Details.tsx'
import { Facts } from '../../../../ui/page/display.tsx'
import { Moment } from '../../../../ui/text/time.tsx'
import { useUserNames } from '../../../access/users/useUserNames.ts'
import { CommandOutput } from '../../../control/commands/CommandOutput.tsx'
import { RunSeverity } from '../words.tsx'
import { RunOrigin } from './RunOrigin.tsx'

/** One run with its output, which comes while it runs. */
export function ExecutionDialog({ id, close }: { readonly id: string; close(): void }) {
  const answer = useApiQuery((client) => client.scripts.executions.get, { id }, { everyMs: 5_000 })
  const title = answer.data ? `${answer.data.scriptName ?? 'Script'} on ${answer.data.hostname}` : 'Run'
  return (
    <Details answer={answer} title={title} close={close}>
      {(run) => <Sheet run={run} />}
    </Details>
  )
}

function Sheet({ run }: { readonly run: Execution }) {
  const nameOf = useUserNames(run.orgId)
  const can = useCan()
  const set = Object.entries(run.customFields?.set ?? {})
  const refused = run.customFields?.refused ?? []
  return (
    <div className="grid gap-4">
      <Facts
        onlyKnown
        facts={[
          [
            'Device',
            <Link
              key="device"
              to="/devices/$deviceId"
              params={{ deviceId: run.deviceId }}
              className="rounded underline"
            >
              {run.hostname}
            </Link>,
          ],
          ['Severity', run.severity && <RunSeverity key="severity" severity={run.severity} />],
          ['Version', run.version],
          ...Object.entries(run.parameters).map(([name, value]) => [name, valueText(value)] as const),
          ['Sent by', nameOf(run.createdBy)],
          ['Origin', <RunOrigin key="origin" origin={run.origin} />],
          ['Created', <Moment key="created" at={run.createdAt} />],
          ['Started', run.startedAt && <Moment key="started" at={run.startedAt} />],
          ['Finished', run.finishedAt && <Moment key="finished" at={run.finishedAt} />],
          ['Custom fields set', set.map(([field, value]) => `${field}: ${JSON.stringify(value)}`).join(', ')],
          ['Custom fields refused', refused.map(({ field, reason }) => `${field}: ${reason}`).join(', ')],
        ]}
      />
      {can('scripts:execute') ? (
        <CommandOutput
          source={{ kind: 'execution', id: run.id, deviceId: run.deviceId }}
          cancel={() => api.scripts.executions.cancel.mutate({ id: run.id })}
        />
      ) : (
        <p>You don’t have permission to see the output of scripts.</p>
      )}
    </div>
  )
}

function valueText(value: ParameterValue): string {
  if (typeof value !== 'object') return String(value)
  return 'secret' in value ? `Secret ${value.secret}` : `Field ${value.field}`
}
