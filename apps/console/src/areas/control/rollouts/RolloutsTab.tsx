import type { Rollout } from '@muster/areas/control/rollouts/rollouts.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleDotDashed } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { useCan } from '../../../session/session.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { RolloutCard } from './RolloutCard.tsx'
import { RolloutForm } from './RolloutForm.tsx'
import { rolloutStates } from './rolloutState.ts'

type Row = z.infer<typeof Rollout>

/** The rollouts, with the details of the selected or current one. */
export function RolloutsTab() {
  const { rollout } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const [isCreating, setCreating] = useState(false)
  const blocked = !useCan()('settings:write') && 'You don’t have permission to edit settings'
  const list = useList((api) => api.rollouts.rollouts.list, {}, { limit: 25, everyMs: 5_000 })
  const open = (id: string) => void navigate({ search: (now) => ({ ...now, rollout: id }) })
  const shown =
    list.rows.find(({ id }) => id === rollout) ??
    list.rows.find(({ state }) => state !== 'completed' && state !== 'cancelled')
  const add = (
    <NewButton blocked={blocked} act={() => setCreating(true)}>
      New rollout
    </NewButton>
  )
  return (
    <div className="grid gap-4">
      <div className="flex justify-end">{add}</div>
      {shown && <RolloutCard id={shown.id} />}
      <ListTable
        label="Rollouts"
        list={list}
        columns={columnsWith(open)}
        rowId={({ id }) => id}
        empty={
          <NoRows icon={CircleDotDashed} title="No rollouts yet" action={add}>
            Publish or import a version, then start a rollout: first to 1% of the fleet, later to all devices.
          </NoRows>
        }
      />
      {isCreating && <RolloutForm close={() => setCreating(false)} done={open} />}
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
    cell: ({ state }) => <Badge tone={rolloutStates[state][1]}>{rolloutStates[state][0]}</Badge>,
  },
  {
    id: 'stage',
    header: 'Stage',
    width: 150,
    cell: ({ stage, stages }) => `${stage} of ${stages.length}, ${stages[stage - 1] ?? 0}%`,
  },
  { id: 'reason', header: 'Halt reason', width: 220, grow: 2, cell: ({ reason }) => reason ?? '' },
  { id: 'started', header: 'Started', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { id: 'changed', header: 'Updated', width: 120, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
]
