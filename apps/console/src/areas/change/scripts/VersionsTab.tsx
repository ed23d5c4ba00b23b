import type { ScriptVersion } from '@muster/areas/change/script-library/versions.contract.ts'
import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { GitCommitVertical } from 'lucide-react'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { useUserNames } from '../../access/users/useUserNames.ts'
import { VersionDialog } from './VersionDialog.tsx'

/** The versions of a script, newest first. */
export function VersionsTab({ script }: { readonly script: KeptScript }) {
  const { version } = useSearch({ from: '/app/scripts/$scriptId' })
  const navigate = useNavigate({ from: '/scripts/$scriptId' })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, version: id }) })
  const nameOf = useUserNames(script.orgId ?? undefined)
  const list = useList((client) => client.scriptLibrary.versions.list, { id: script.id }, { limit: 20 })
  const shown = list.rows.find(({ id }) => id === version)
  return (
    <>
      <ListTable
        label="Versions"
        list={list}
        rowId={({ id }) => id}
        columns={columnsWith(({ id }) => open(id), nameOf, script.approvedVersionId)}
        empty={<NoRows icon={GitCommitVertical} title="No versions" />}
      />
      {shown && (
        <VersionDialog
          script={script}
          version={shown}
          before={list.rows.find((each) => each.version === shown.version - 1)}
          close={() => open(undefined)}
        />
      )}
    </>
  )
}

const columnsWith = (
  open: (version: ScriptVersion) => void,
  nameOf: (id: string | null) => string,
  approvedVersionId: string | null,
): readonly Column<ScriptVersion>[] => [
  {
    id: 'version',
    header: 'Version',
    width: 110,
    cell: (version) => <RowButton open={() => open(version)}>{`Version ${version.version}`}</RowButton>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 150,
    cell: ({ id, status }) => <VersionStatus status={status} isTaken={id === approvedVersionId} />,
  },
  {
    id: 'warnings',
    header: 'Warnings',
    width: 110,
    cell: ({ warnings }) => warnings.length > 0 && <Badge tone="warn">{many(warnings.length, 'warning')}</Badge>,
  },
  { id: 'comment', header: 'What changed', width: 200, grow: 2, cell: ({ comment }) => comment ?? '' },
  { id: 'by', header: 'Created by', width: 140, grow: 1, cell: ({ createdBy }) => nameOf(createdBy) },
  { id: 'created', header: 'Created', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function VersionStatus({ status, isTaken }: Pick<ScriptVersion, 'status'> & { readonly isTaken: boolean }) {
  if (status === 'pending_approval') return <Badge tone="warn">Waits for approval</Badge>
  if (status === 'rejected') return <Badge tone="bad">Rejected</Badge>
  return isTaken ? <Badge tone="good">Runs take it</Badge> : <Badge>Approved</Badge>
}
