import type { AgentVersion } from '@muster/areas/control/agent-versions/versions.contract.ts'
import { CloudDownload, Package } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useRefresh } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge, CopyText } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { bytes, many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

const systems = { linux: 'Linux', darwin: 'macOS', windows: 'Windows' }

/** The registered versions, with their executables and hashes. */
export function VersionsTab() {
  const isSystem = useMe().scope === 'system'
  const blocked = !useCan()('settings:write') && 'You don’t have permission to edit settings'
  const [shown, setShown] = useState<AgentVersion | null>(null)
  const [isImporting, setImporting] = useState(false)
  const list = useList((client) => client.agentVersions.versions.list, {}, { limit: 25 })
  const add = isSystem && (
    <Button blocked={blocked} onClick={() => setImporting(true)}>
      <CloudDownload aria-hidden className="size-4" />
      Import version
    </Button>
  )
  return (
    <>
      {add && <div className="mb-3 flex justify-end">{add}</div>}
      <ListTable
        label="Versions"
        list={list}
        columns={columnsWith(setShown)}
        rowId={({ version }) => version}
        empty={
          <NoRows icon={Package} title="No versions yet" action={add}>
            {isSystem
              ? 'Publish a signed version with “npm run release”, or import one from the release host.'
              : 'Versions appear here when the operator publishes them.'}
          </NoRows>
        }
      />
      {shown && <Executables version={shown} close={() => setShown(null)} />}
      {isImporting && <Import close={() => setImporting(false)} />}
    </>
  )
}

const columnsWith = (open: (version: AgentVersion) => void): readonly Column<AgentVersion>[] => [
  {
    id: 'version',
    header: 'Version',
    width: 150,
    cell: (version) => <RowButton open={() => open(version)}>{version.version}</RowButton>,
  },
  {
    id: 'kind',
    header: 'Type',
    width: 110,
    cell: ({ candidate }) => (candidate ? <Badge tone="warn">Candidate</Badge> : <Badge tone="good">Release</Badge>),
  },
  {
    id: 'source',
    header: 'Source',
    width: 130,
    cell: ({ source }) => (source === 'local' ? 'This service' : 'Release host'),
  },
  {
    id: 'targets',
    header: 'Platforms',
    width: 200,
    grow: 1,
    cell: ({ targets }) => [...new Set(targets.map(({ os, arch }) => `${systems[os]} ${arch}`))].join(', ') || 'none',
  },
  {
    id: 'notes',
    header: 'Notes',
    width: 170,
    grow: 2,
    cell: ({ notes }) => <span className="text-muted">{notes ?? ''}</span>,
  },
  { id: 'released', header: 'Released', width: 120, cell: ({ releasedAt }) => <Ago at={releasedAt} never="–" /> },
  { id: 'added', header: 'Added', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function Executables({ version, close }: { readonly version: AgentVersion; close(): void }) {
  return (
    <Dialog open wide title={`Version ${version.version}`} close={close}>
      <div className="grid gap-4">
        {version.notes && <p className="whitespace-pre-wrap text-sm">{version.notes}</p>}
        {version.targets.map(({ id, os, arch, kind, sha256, size, url }) => (
          <section key={id} className="grid gap-1 text-sm">
            <h3 className="font-medium">
              {systems[os]} {arch}{' '}
              <span className="font-normal text-muted">
                {kind}, {bytes(size)}
              </span>
            </h3>
            <CopyText label={`the SHA-256 for ${systems[os]} ${arch}`} text={sha256} />
            <p className="break-all text-muted text-xs">{url}</p>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function Import({ close }: { close(): void }) {
  const refresh = useRefresh()
  const [version, setVersion] = useState('')
  return (
    <Confirm
      open
      close={close}
      title="Import version"
      verb="Import version"
      act={async () => {
        const answer = await api.agentVersions.versions.syncUpstream.mutate(
          version.trim() ? { version: version.trim() } : {},
        )
        toast(`${answer.version} imported for ${many(answer.synced.length, 'platform')}`)
        await refresh('agentVersions')
      }}
    >
      <div className="grid gap-3">
        <p>Reads the executables and hashes from the release host. Devices get the version when you start a rollout.</p>
        <TextField
          label="Version"
          optional
          placeholder="1.2.3"
          hint="Empty for the latest stable release."
          value={version}
          onChange={({ target }) => setVersion(target.value)}
        />
      </div>
    </Confirm>
  )
}
