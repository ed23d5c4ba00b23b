import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { FolderPlus, Pencil, Plus, TableProperties, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiQuery, useRefresh } from '../../../../queries.ts'
import { Button } from '../../../../ui/button/Button.tsx'
import { RowButton } from '../../../../ui/button/RowButton.tsx'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Confirm } from '../../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { Note } from '../../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../../ui/table/DataTable.tsx'
import { useDeviceSearch } from '../../../fleet/devices/deviceSearch.ts'
import { Reachable, useObstacle } from '../obstacle.tsx'
import { KeyForm } from './KeyForm.tsx'
import { KeyTree } from './KeyTree.tsx'
import { keyOf, type Place, shownData, type Value, type View } from './registryData.ts'
import { ValueForm } from './ValueForm.tsx'

interface Wish {
  readonly kind: 'new key' | 'delete key' | 'new value' | 'edit' | 'delete value'
  /** The value that is edited or deleted. */
  readonly value?: Value
}

const none: readonly Value[] = []
const icon = { 'aria-hidden': true, className: 'size-4' } as const
const shownName = (name: string) => name || '(Default)'
const needsKey = 'Hives cannot be changed. Select a key below the hive'

/** The Windows registry of the device: its keys as a tree, and the values of one of them. */
export function RegistryTab({ device }: { readonly device: DeviceDetail }) {
  const [{ item: chosen = 'HKEY_LOCAL_MACHINE', kind }, change] = useDeviceSearch()
  const [wish, setWish] = useState<Wish | null>(null)
  const obstacle = useObstacle(device, 'devices:execute', 'list_registry_keys')
  const deviceId = device.id
  const view = kind === '32' ? kind : undefined
  const place = { ...keyOf(chosen), view }
  const answer = useApiQuery(
    (client) => client.systemTools.registry.values,
    { deviceId, ...place },
    { enabled: !obstacle, staleMs: 60_000 },
  )
  const blocked = obstacle ?? (place.path === undefined && needsKey)
  const mayDelete =
    blocked || (!place.path?.includes('\\') && 'First-level keys of a hive cannot be deleted. Select a key below it')
  const open = (key: string) => change({ item: key })
  return (
    <Reachable obstacle={obstacle} isKnown={answer.data !== undefined}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <code className="min-w-0 basis-full break-all text-sm md:flex-1 md:basis-0">{chosen}</code>
        <Select
          label="View"
          none="64-bit view"
          value={view}
          options={[['32', '32-bit view']]}
          choose={(next) => change({ kind: next })}
        />
        <Button blocked={obstacle} onClick={() => setWish({ kind: 'new key' })}>
          <FolderPlus {...icon} />
          New key
        </Button>
        <Button blocked={mayDelete} onClick={() => setWish({ kind: 'delete key' })}>
          <Trash2 {...icon} />
          Delete key
        </Button>
        <Button kind="primary" blocked={blocked} onClick={() => setWish({ kind: 'new value' })}>
          <Plus {...icon} />
          New value
        </Button>
      </div>
      <div className="grid min-h-0 flex-1 gap-3 md:grid-cols-[minmax(14rem,20rem)_1fr]">
        <KeyTree key={view ?? '64'} view={view} deviceId={deviceId} chosen={chosen} enabled={!obstacle} choose={open} />
        <div className="flex min-h-0 flex-col max-md:min-h-64">
          <DataTable
            label="Values"
            rows={answer.data?.values ?? none}
            columns={columnsWith((kind, value) => setWish({ kind, value }), blocked)}
            answer={answer}
            rowId={({ name }) => name}
            empty={
              place.path === undefined ? (
                <Note icon={TableProperties} title="Select a key">
                  {chosen} is the root of a hive and holds keys. Open it on the left and select a key to see its values.
                </Note>
              ) : (
                <Note icon={TableProperties} title="No values">
                  Select another key, or create a value in this one.
                </Note>
              )
            }
            footer={
              <p className="border-line border-t px-3 py-1.5 text-muted text-sm">
                {answer.data?.truncated && 'The list is truncated. '}
                Reading values is audited and counts toward your device limit per 10 minutes.
              </p>
            }
          />
        </div>
      </div>
      {wish && (
        <Wished
          key={chosen}
          deviceId={deviceId}
          chosen={chosen}
          view={view}
          wish={wish}
          open={open}
          close={() => setWish(null)}
        />
      )}
    </Reachable>
  )
}

const columnsWith = (
  want: (kind: 'edit' | 'delete value', value: Value) => void,
  blocked: string | false | undefined,
): readonly Column<Value>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 200,
    grow: 1,
    cell: (value) => <RowButton open={() => want('edit', value)}>{shownName(value.name)}</RowButton>,
  },
  { id: 'type', header: 'Type', width: 130, cell: ({ type }) => <code className="text-xs">{type}</code> },
  {
    id: 'data',
    header: 'Data',
    width: 260,
    grow: 2,
    cell: (value) => <span className="font-mono text-xs">{shownData(value)}</span>,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 84,
    cell: (value) => (
      <RowMenu
        name={shownName(value.name)}
        groups={[
          [
            { label: 'Edit', icon: <Pencil {...icon} />, blocked, act: () => want('edit', value) },
            { label: 'Delete', icon: <Trash2 {...icon} />, blocked, act: () => want('delete value', value) },
          ],
        ]}
      />
    ),
  },
]

interface WishedProps {
  readonly deviceId: string
  readonly chosen: string
  readonly view: View
  readonly wish: Wish
  open(key: string): void
  close(): void
}

function Wished({ deviceId, chosen, view, wish, open, close }: WishedProps) {
  const { hive, path = '' } = keyOf(chosen)
  const place = { hive, path, view }
  if (wish.kind === 'new key') {
    const created = (key: string) => {
      close()
      open(key)
    }
    return <KeyForm deviceId={deviceId} parent={chosen} view={view} created={created} close={close} />
  }
  if (wish.kind === 'new value' || wish.kind === 'edit')
    return <ValueForm deviceId={deviceId} place={place} value={wish.value} close={close} />
  const parent = chosen.slice(0, chosen.lastIndexOf('\\'))
  return wish.kind === 'delete key' ? (
    <DeleteKey deviceId={deviceId} place={place} close={close} deleted={() => open(parent)} />
  ) : (
    <DeleteValue deviceId={deviceId} place={place} name={wish.value?.name ?? ''} close={close} />
  )
}

interface DeleteProps {
  readonly deviceId: string
  readonly place: Place
  close(): void
}

function DeleteKey({ deviceId, place, deleted, close }: DeleteProps & { deleted(): void }) {
  const refresh = useRefresh()
  const name = place.path.slice(place.path.lastIndexOf('\\') + 1)
  return (
    <Confirm
      open
      danger
      type={name}
      close={close}
      title={`Delete ${name}?`}
      verb="Delete key"
      act={async () => {
        await api.systemTools.registry.deleteKey.mutate({ deviceId, ...place })
        toast(`${name} deleted`)
        deleted()
        await refresh('systemTools.registry')
      }}
    >
      All values and all keys below it are deleted, too. This can’t be undone.
    </Confirm>
  )
}

function DeleteValue({ deviceId, place, name, close }: DeleteProps & { readonly name: string }) {
  const refresh = useRefresh()
  return (
    <Confirm
      open
      danger
      close={close}
      title={`Delete ${shownName(name)}?`}
      verb="Delete value"
      act={async () => {
        await api.systemTools.registry.deleteValue.mutate({ deviceId, ...place, name })
        toast(`${shownName(name)} deleted`)
        await refresh('systemTools.registry')
      }}
    >
      The value is removed from {place.hive}\{place.path}. This can’t be undone.
    </Confirm>
  )
}
