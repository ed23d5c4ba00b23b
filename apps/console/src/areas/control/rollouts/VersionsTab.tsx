import type { AgentVersion } from '@muster/areas/control/agent-versions/versions.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CloudDownload, Package } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Badge, CopyText } from '../../../ui/display.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { bytes } from '../../../ui/quantity.ts'
import { RowButton } from '../../../ui/RowButton.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'

const limit = 25
const systems = { linux: 'Linux', darwin: 'macOS', windows: 'Windows' }

/** Every version that is registered, with its executables and their hashes. */
export function VersionsTab() {
  const { page = 1 } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const isSystem = useMe().scope === 'system'
  const blocked = !useCan()('settings:write') && 'You need the permission to change settings'
  const [shown, setShown] = useState<AgentVersion | null>(null)
  const [isSyncing, setSyncing] = useState(false)
  const answer = useApiQuery((client) => client.agentVersions.versions.list, { page, limit }, { keepLast: true })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <>
      {isSystem && (
        <div className="mb-3 flex justify-end">
          <Button blocked={blocked} onClick={() => setSyncing(true)}>
            <CloudDownload aria-hidden className="size-4" />
            Look at the release host
          </Button>
        </div>
      )}
      <DataTable
        label="Versions"
        rows={rows}
        columns={columnsWith(setShown)}
        answer={answer}
        total={pagination.total}
        rowId={({ version }) => version}
        empty={
          <Note icon={Package} title="No versions yet">
            A version appears once it is signed and published, or registered from the release host.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {shown && <Executables version={shown} close={() => setShown(null)} />}
      {isSyncing && <Sync close={() => setSyncing(false)} />}
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
    header: 'Kind',
    width: 110,
    cell: ({ candidate }) => (candidate ? <Badge tone="warn">Candidate</Badge> : <Badge tone="good">Release</Badge>),
  },
  {
    id: 'source',
    header: 'From',
    width: 130,
    cell: ({ source }) => (source === 'local' ? 'This service' : 'Release host'),
  },
  {
    id: 'targets',
    header: 'Systems',
    width: 240,
    grow: 1,
    cell: ({ targets }) => [...new Set(targets.map(({ os, arch }) => `${systems[os]} ${arch}`))].join(', ') || 'none',
  },
  {
    id: 'notes',
    header: 'Notes',
    width: 200,
    grow: 2,
    cell: ({ notes }) => <span className="text-muted">{notes ?? ''}</span>,
  },
  { id: 'released', header: 'Released', width: 120, cell: ({ releasedAt }) => <Ago at={releasedAt} never="–" /> },
  { id: 'known', header: 'Known since', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
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

function Sync({ close }: { close(): void }) {
  const refresh = useRefresh()
  const [version, setVersion] = useState('')
  return (
    <Confirm
      open
      close={close}
      title="Register a version of the release host"
      verb="Register it"
      act={async () => {
        const answer = await api.agentVersions.versions.syncUpstream.mutate(
          version.trim() ? { version: version.trim() } : {},
        )
        toast(`${answer.version} is registered for ${answer.synced.length} targets`)
        await refresh('agentVersions')
      }}
    >
      <div className="grid gap-3">
        <p>Its executables and their hashes are read from there. Nothing goes out before a rollout of it begins.</p>
        <TextField
          label="Version"
          optional
          placeholder="1.2.3"
          hint="Without one, the latest stable release."
          value={version}
          onChange={({ target }) => setVersion(target.value)}
        />
      </div>
    </Confirm>
  )
}
