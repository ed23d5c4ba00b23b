import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { CornerLeftUp, Download, File as FileIcon, Folder, FolderOpen, Link2, Upload } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { Api } from '../../../api.ts'
import { useApiQuery, useRefresh } from '../../../queries.ts'
import { Button, IconButton } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Note, toastError } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { sorted } from '../../../ui/table/sorted.ts'
import { bytes, many } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { useDeviceSearch, useDeviceSorting } from '../../fleet/devices/deviceSearch.ts'
import { download } from '../../fleet/devices/list/csv.ts'
import { type Folders, foldersOf } from './folders.ts'
import { Reachable, useObstacle } from './obstacle.tsx'
import { fetchFile, Refused, sendFile } from './transfer.ts'
import { type Transfer, useTransfer } from './useTransfer.ts'

type Entry = Awaited<ReturnType<Api['systemTools']['files']['list']['query']>>['entries'][number]

const none: readonly Entry[] = []
const icons = { file: FileIcon, directory: Folder, symlink: Link2, other: FileIcon }
const wasCanceled = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'
const values: Readonly<Record<string, (entry: Entry) => string | number>> = {
  // Folders stand before files, as people expect them.
  name: ({ name, type }) => `${type === 'directory' ? 0 : 1}${name.toLowerCase()}`,
  size: ({ sizeBytes }) => sizeBytes,
  changed: ({ modifiedAt }) => modifiedAt,
}

/** Browses, downloads and uploads files of the device. */
export function FilesTab({ device }: { readonly device: DeviceDetail }) {
  const folders = foldersOf(device)
  const [{ path = folders.roots[0] ?? '/' }, change] = useDeviceSearch()
  const sorting = useDeviceSorting('name')
  const obstacle = useObstacle(device, 'remote:access', 'list_files')
  const { transfer, begin, cancel } = useTransfer()
  const refresh = useRefresh()
  const [replacing, setReplacing] = useState<File | null>(null)
  const deviceId = device.id
  const answer = useApiQuery((client) => client.systemTools.files.list, { deviceId, path }, { enabled: !obstacle })
  const rows = useMemo(
    () => sorted(answer.data?.entries ?? none, values[sorting.by] ?? (({ name }) => name), sorting.dir),
    [answer.data, sorting.by, sorting.dir],
  )
  const fetchOne = ({ name }: Entry) =>
    begin({ name, direction: 'from' }, (progress, signal) =>
      fetchFile({ deviceId, path: folders.below(path, name) }, progress, signal),
    ).then(
      (content) => download(name, content),
      (error: unknown) => !wasCanceled(error) && toastError(error),
    )
  const put = async (file: File, overwrite: boolean) => {
    await begin({ name: file.name, direction: 'to' }, (progress, signal) =>
      sendFile({ deviceId, path: folders.below(path, file.name) }, file, overwrite, progress, signal),
    )
    toast(`${file.name} uploaded`)
    await refresh('systemTools.files')
  }
  const putNew = (file: File) =>
    put(file, false).catch((error: unknown) => {
      if (error instanceof Refused && error.code === 'CONFLICT') setReplacing(file)
      else if (!wasCanceled(error)) toastError(error)
    })
  const busy = transfer !== null && 'Another transfer is running'
  return (
    <Reachable obstacle={obstacle} isKnown={answer.data !== undefined}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Trail folders={folders} path={path} open={(next) => change({ path: next })} />
        <span className="flex-1" />
        {transfer && <Progress transfer={transfer} cancel={cancel} />}
        <UploadButton blocked={obstacle ?? busy} choose={putNew} />
      </div>
      <DataTable
        label="Files"
        rows={rows}
        columns={columnsWith(
          ({ name }) => change({ path: folders.below(path, name) }),
          (entry) => void fetchOne(entry),
          obstacle ?? busy,
          // Windows has access lists instead.
        ).filter(({ id }) => id !== 'mode' || device.osType !== 'windows')}
        answer={answer}
        rowId={({ name }) => name}
        sorting={sorting}
        empty={
          <Note icon={FolderOpen} title="Empty folder">
            Upload a file to this folder.
          </Note>
        }
        footer={
          <p className="border-line border-t px-3 py-1.5 text-muted text-sm tabular">
            {many(rows.length, 'entry', 'entries')}
            {answer.data?.truncated && ', list truncated'}
            {'. Downloads are audited and count toward your device limit per 10 minutes.'}
          </p>
        }
      />
      <Confirm
        danger
        open={replacing !== null}
        close={() => setReplacing(null)}
        title={`Replace ${replacing?.name ?? ''}?`}
        verb="Replace"
        act={async () => replacing && put(replacing, true)}
      >
        A file with that name exists in {path}. Its content is overwritten. This can’t be undone.
      </Confirm>
    </Reachable>
  )
}

function columnsWith(
  open: (entry: Entry) => void,
  fetchOne: (entry: Entry) => void,
  blocked: string | false | undefined,
): readonly Column<Entry>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 260,
      grow: 2,
      sort: 'name',
      cell: (entry) => <Name entry={entry} open={open} />,
    },
    {
      id: 'size',
      header: 'Size',
      width: 100,
      align: 'end',
      sort: 'size',
      cell: ({ type, sizeBytes }) => (type === 'file' ? bytes(sizeBytes) : '–'),
    },
    {
      id: 'changed',
      header: 'Modified',
      width: 188,
      sort: 'changed',
      cell: ({ modifiedAt }) => <Moment at={modifiedAt} />,
    },
    { id: 'mode', header: 'Permissions', width: 104, cell: ({ mode }) => <code>{mode}</code> },
    {
      id: 'owner',
      header: 'Owner',
      width: 150,
      cell: ({ owner, group }) => [owner, group].filter((name) => name !== '').join(', '),
    },
    {
      id: 'download',
      header: 'Actions',
      width: 84,
      cell: (entry) =>
        entry.type === 'file' && (
          <IconButton small label={`Download ${entry.name}`} blocked={blocked} onClick={() => fetchOne(entry)}>
            <Download aria-hidden className="size-4" />
          </IconButton>
        ),
    },
  ]
}

function Name({ entry, open }: { readonly entry: Entry; open(entry: Entry): void }) {
  const { name, type, target } = entry
  const Icon = icons[type]
  const words = (
    <>
      <Icon aria-hidden className={`size-4 shrink-0 ${type === 'directory' ? 'text-accent-text' : 'text-muted'}`} />
      <span className="truncate">{name}</span>
    </>
  )
  return type === 'directory' ? (
    <button
      type="button"
      className="flex max-w-full items-center gap-2 rounded font-medium hover:text-accent-text"
      onClick={() => open(entry)}
    >
      {words}
    </button>
  ) : (
    <span className="flex items-center gap-2">
      {words}
      {target !== null && <span className="truncate text-muted text-xs">→ {target}</span>}
    </span>
  )
}

interface TrailProps {
  readonly folders: Folders
  readonly path: string
  open(path: string): void
}
function Trail({ folders, path, open }: TrailProps) {
  const up = folders.above(path)
  const places = folders.trail(path)
  const [root] = places
  return (
    <nav aria-label="Folder" className="flex min-w-0 flex-wrap items-center gap-0.5 text-sm">
      <IconButton
        small
        label="One folder up"
        blocked={up === null && 'This is the top folder'}
        onClick={() => up !== null && open(up)}
      >
        <CornerLeftUp aria-hidden className="size-4" />
      </IconButton>
      {folders.roots.length > 1 && (
        <Select
          label="Drive"
          value={root?.path ?? ''}
          options={folders.roots.map((each) => [each, each] as const)}
          choose={(next) => next && open(next)}
        />
      )}
      {places.map((place, index) => (
        <span key={place.path} className="flex items-center gap-0.5">
          <button
            type="button"
            aria-current={place.path === path ? 'page' : undefined}
            className="rounded px-1.5 py-0.5 hover:bg-hover aria-[current=page]:font-medium"
            onClick={() => open(place.path)}
          >
            {place.name}
          </button>
          {index > 0 && index < places.length - 1 && <span className="text-muted">/</span>}
        </span>
      ))}
    </nav>
  )
}

interface UploadProps {
  readonly blocked: string | false | undefined
  choose(file: File): void
}
function UploadButton({ blocked, choose }: UploadProps) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        aria-label="File to upload"
        className="hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ''
          if (file) choose(file)
        }}
      />
      <Button blocked={blocked} onClick={() => field.current?.click()}>
        <Upload aria-hidden className="size-4" />
        Upload
      </Button>
    </>
  )
}

function Progress({ transfer, cancel }: { readonly transfer: Transfer; cancel(): void }) {
  const { name, direction, share } = transfer
  const percent = Math.round(share * 100)
  return (
    <div className="flex items-center gap-2 text-sm">
      <span className="max-w-60 truncate text-muted">
        {direction === 'to' ? 'Uploading' : 'Downloading'} {name}
      </span>
      <progress aria-label={`Progress of ${name}`} max={100} value={percent} className="h-1.5 w-28 accent-accent" />
      <span className="w-10 text-right tabular">{percent}%</span>
      <Button small onClick={cancel}>
        Cancel
      </Button>
    </div>
  )
}
