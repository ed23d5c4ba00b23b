import type { Rollout } from '@muster/areas/control/rollouts/rollouts.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleDotDashed, Plus } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge, type Tone } from '../../../ui/display.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { RowButton } from '../../../ui/RowButton.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { RolloutCard } from './RolloutCard.tsx'
import { RolloutForm } from './RolloutForm.tsx'

type Row = z.infer<typeof Rollout>
const limit = 25
export const stateWords: Readonly<Record<Row['state'], readonly [string, Tone]>> = {
  running: ['Running', 'info'],
  paused: ['Paused', 'warn'],
  halted: ['Halted', 'bad'],
  completed: ['Done', 'good'],
  cancelled: ['Cancelled', 'plain'],
}

/** How versions go out: what is under way, and what was. */
export function RolloutsTab() {
  const { page = 1, rollout } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const [isMaking, setMaking] = useState(false)
  const blocked = !useCan()('settings:write') && 'You need the permission to change settings'
  const answer = useApiQuery((api) => api.rollouts.rollouts.list, { page, limit }, { keepLast: true, everyMs: 5_000 })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const open = (id: string) => void navigate({ search: (now) => ({ ...now, rollout: id }) })
  const shown =
    rows.find(({ id }) => id === rollout) ?? rows.find(({ state }) => state !== 'completed' && state !== 'cancelled')
  const add = (
    <Button kind="primary" blocked={blocked} onClick={() => setMaking(true)}>
      <Plus aria-hidden className="size-4" />
      New rollout
    </Button>
  )
  return (
    <div className="grid gap-4">
      <div className="flex justify-end">{add}</div>
      {shown && <RolloutCard id={shown.id} />}
      <DataTable
        label="Rollouts"
        rows={rows}
        columns={columnsWith(open)}
        answer={answer}
        total={pagination.total}
        rowId={({ id }) => id}
        empty={
          <Note icon={CircleDotDashed} title="Nothing has gone out yet">
            Publish a version, then begin a rollout of it: first to one percent of the fleet, at last to all.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {isMaking && <RolloutForm close={() => setMaking(false)} done={open} />}
    </div>
  )
}

const columnsWith = (open: (id: string) => void): readonly Column<Row>[] => [
  {
    id: 'version',
    header: 'Version',
    width: 140,
    grow: 1,
    cell: ({ id, version }) => <RowButton open={() => open(id)}>{version}</RowButton>,
  },
  {
    id: 'state',
    header: 'State',
    width: 110,
    cell: ({ state }) => <Badge tone={stateWords[state][1]}>{stateWords[state][0]}</Badge>,
  },
  {
    id: 'stage',
    header: 'Stage',
    width: 150,
    cell: ({ stage, stages }) => `${stage} of ${stages.length}, ${stages[stage - 1] ?? 0} %`,
  },
  { id: 'reason', header: 'Why it halted', width: 220, grow: 2, cell: ({ reason }) => reason ?? '' },
  { id: 'begun', header: 'Begun', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'changed', header: 'Changed', width: 120, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
]
