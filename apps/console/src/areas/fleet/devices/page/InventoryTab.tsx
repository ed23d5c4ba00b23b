import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { PackageSearch } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Card, Facts } from '../../../../ui/display.tsx'
import { inputClass } from '../../../../ui/fields.tsx'
import { bytes, count, memory } from '../../../../ui/quantity.ts'
import { Note } from '../../../../ui/states.tsx'
import { Ago } from '../../../../ui/time.tsx'
import { inventoryLabel } from './inventoryLabel.ts'

type Items = NonNullable<DeviceDetail['inventory']>['software']

/** Hardware, software and users of the machine, as the agent reported them. */
export function InventoryTab({ device }: { readonly device: DeviceDetail }) {
  const { inventory } = device
  if (inventory === null)
    return (
      <Note icon={PackageSearch} title="No inventory yet">
        The agent sends it after its first connection. “Refresh inventory” requests it now.
      </Note>
    )
  const { hardware, disks, network, software, services, users, collectedAt } = inventory
  return (
    <div className="grid gap-4">
      <p className="text-muted text-sm">
        Collected <Ago at={collectedAt} />
      </p>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Hardware">
          <Facts
            facts={Object.entries(hardware).map(
              ([name, value]) => [inventoryLabel(name), written(name, value)] as const,
            )}
          />
        </Card>
        <div className="grid gap-4">
          <Table title="Disks" items={disks} />
          <Table title="Network" items={network} />
          <Table title="Users" items={users} />
        </div>
      </div>
      <Table title="Services" items={services} searchable />
      <Table title="Software" items={software} searchable />
    </div>
  )
}

const rowsMax = 200

function Table({
  title,
  items,
  searchable = false,
}: {
  readonly title: string
  readonly items: Items
  readonly searchable?: boolean
}) {
  const [wanted, setWanted] = useState('')
  const columns = useMemo(() => [...new Set(items.flatMap((item) => Object.keys(item)))].slice(0, 7), [items])
  const found = useMemo(() => {
    const part = wanted.trim().toLowerCase()
    return part === ''
      ? items
      : items.filter((item) => JSON.stringify(Object.values(item)).toLowerCase().includes(part))
  }, [items, wanted])
  return (
    <Card
      flush
      title={`${title} (${count(found.length)})`}
      actions={
        searchable && (
          <input
            type="search"
            aria-label={`Search ${title.toLowerCase()}`}
            placeholder="Search"
            className={`${inputClass} !h-7 !w-48`}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        )
      }
    >
      {found.length === 0 ? (
        <p className="px-4 py-6 text-center text-muted text-sm">
          {items.length === 0 ? 'None reported' : 'No matches'}
        </p>
      ) : (
        <div tabIndex={0} className="max-h-96 overflow-auto" role="region" aria-label={title}>
          <table className="w-full text-left text-sm">
            <thead className="sticky top-0 bg-surface">
              <tr>
                {columns.map((column) => (
                  <th
                    key={column}
                    scope="col"
                    className="whitespace-nowrap border-line border-b px-4 py-2 font-medium text-muted text-xs"
                  >
                    {inventoryLabel(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.slice(0, rowsMax).map((item) => (
                <tr key={JSON.stringify(item)} className="border-line border-b last:border-0">
                  {columns.map((column) => (
                    <td key={column} className="max-w-80 truncate px-4 py-1.5">
                      {written(column, item[column])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {found.length > rowsMax && (
            <p className="px-4 py-2 text-muted text-sm">Showing the first {rowsMax}. Search to find others.</p>
          )}
        </div>
      )}
    </Card>
  )
}

const isMemory = /memory|ram/i
const isSize = /bytes|memory|^total$|^used$|^free$|^size/i

function written(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'number')
    return isSize.test(name) && value > 100_000 ? (isMemory.test(name) ? memory(value) : bytes(value)) : String(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map((one) => written(name, one)).join(', ') || '–'
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, one]) => `${inventoryLabel(key)}: ${written(key, one)}`)
      .join(', ')
  return String(value)
}
