import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { PackageSearch } from 'lucide-react'
import { useMemo, useState } from 'react'
import { inputClass } from '../../../../ui/form/fields.tsx'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { Note } from '../../../../ui/page/states.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import { Ago, useTimes } from '../../../../ui/text/time.tsx'
import { inventoryLabel } from './inventoryLabel.ts'
import { inventoryValue } from './inventoryValue.ts'
import { protectionFacts } from './protectionFacts.ts'
import { systemParts } from './systemParts.ts'

type Items = NonNullable<DeviceDetail['inventory']>['software']

/** What `protectionFacts` writes in words. */
const protective: readonly string[] = ['battery', 'tpm', 'secureBoot', 'protections']

/** Hardware, software and users of the machine, as the agent reported them. */
export function InventoryTab({ device }: { readonly device: DeviceDetail }) {
  const { inventory } = device
  const { date } = useTimes()
  if (inventory === null)
    return (
      <Note icon={PackageSearch} title="No inventory yet">
        The agent sends it after its first connection. “Refresh inventory” requests it now.
      </Note>
    )
  const { hardware, disks, network, software, services, users, system, collectedAt } = inventory
  const { restart, drivers, updates, features } = systemParts(system)
  return (
    <div className="grid gap-4">
      <p className="text-muted text-sm">
        Collected <Ago at={collectedAt} />
      </p>
      <div className="grid items-start gap-4 lg:grid-cols-[2fr_3fr]">
        <Card title="Hardware">
          <Facts
            facts={[
              ...Object.entries(hardware)
                .filter(([name]) => !protective.includes(name))
                .map(([name, value]) => [inventoryLabel(name), inventoryValue(name, value, date)] as const),
              ...protectionFacts(device),
              ...(restart === undefined ? [] : [['Restart', restart.join(', ') || 'not needed'] as const]),
            ]}
          />
        </Card>
        <div className="grid gap-4">
          <Table title="Disks" items={disks} />
          <Table title="Users" items={users} />
        </div>
      </div>
      <Table title="Network" items={network} />
      <Table title="Services" items={services} searchable />
      <Table title="Software" items={software} searchable />
      {updates && <Table title="System updates" items={updates} searchable />}
      {drivers && <Table title="Drivers" items={drivers} searchable />}
      {features && <Table title="System features" items={features} searchable />}
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
  const { date } = useTimes()
  const columns = useMemo(() => [...new Set(['name', ...items.flatMap((item) => Object.keys(item))])], [items])
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
                    className="whitespace-nowrap border-line border-b px-3 py-2 first:pl-4 font-medium text-muted text-xs"
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
                    <Cell key={column} text={inventoryValue(column, item[column], date)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {columns.length > 3 && (
            <p className="px-4 py-2 text-muted text-xs sm:hidden">Scroll sideways to see all columns.</p>
          )}
          {found.length > rowsMax && (
            <p className="px-4 py-2 text-muted text-sm">Showing the first {rowsMax}. Search to find others.</p>
          )}
        </div>
      )}
    </Card>
  )
}

const shortMax = 24

/** Long texts wrap, so that tables fit their card. */
const Cell = ({ text }: { readonly text: string }) => (
  <td
    className={`px-3 py-1.5 align-top first:pl-4 ${text.length > shortMax ? 'min-w-40 [overflow-wrap:anywhere]' : 'whitespace-nowrap'}`}
  >
    {text}
  </td>
)
