import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MonitorSmartphone, SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { useRefreshOn } from '../../../../live/Live.tsx'
import { Button, buttonClass } from '../../../../ui/button/Button.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { Note } from '../../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../../ui/table/DataTable.tsx'
import { sorted } from '../../../../ui/table/sorted.ts'
import { many } from '../../../../ui/text/quantity.ts'
import { BatchProgress } from '../../../control/commands/BatchProgress.tsx'
import { type DeviceFilters, filtersOf } from '../deviceQuestion.ts'
import type { DevicesSearch } from '../search.ts'
import { BulkBar } from './BulkBar.tsx'
import { useDeviceColumns } from './columns.tsx'
import { filterIn, useDeviceWindow } from './deviceList.ts'
import { ExportButton } from './ExportButton.tsx'
import { ListFooter } from './ListFooter.tsx'
import { ListTools, unnarrowed } from './ListTools.tsx'
import { shortMax, sortableColumns, useSortedList } from './shortList.ts'
import { useSelection } from './useSelection.ts'
import { ViewMenu } from './ViewMenu.tsx'

const dependsOnStatus = ({ status, filter }: DeviceFilters) => status !== undefined || filter !== undefined

const isShown = ({ id, hidden = false }: Column<never>, cols: string | undefined) =>
  cols === undefined ? !hidden : cols.split('.').includes(id)

/** The list of devices. The server searches, filters and sorts; the stream keeps it up to date. */
export function DevicesPage() {
  const search = useSearch({ from: '/app/devices' })
  const navigate = useNavigate({ from: '/devices' })
  const change = (next: DevicesSearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const columns = useDeviceColumns()
  const visible = useMemo(
    () => Object.fromEntries(columns.map((column) => [column.id, isShown(column, search.cols)])),
    [columns, search.cols],
  )
  const filters = useMemo(() => filtersOf(search, filterIn(search)), [search])
  const { answer, devices, total, windowed } = useDeviceWindow(filters)
  const isShort = total <= shortMax
  const dir = search.dir ?? 'asc'
  const byColumn = isShort ? columns.find(({ id, sort }) => sort === undefined && id === search.sort) : undefined
  const own = useSortedList(filters, byColumn?.text ?? null, dir)
  const chosen = useSelection(JSON.stringify(filters), total)
  // Joining and leaving is rare; how devices are comes through the rows themselves.
  useRefreshOn(
    ({ type }) =>
      type === 'device.changed' ||
      // The first devices of all should be seen at once.
      (total === 0 && type === 'device.status') ||
      (type === 'device.status' && dependsOnStatus(filters)),
    ['devices.devices.list'],
    10_000,
  )
  const isNarrowed = Boolean(
    search.q ?? search.status ?? (search.unseen || search.os) ?? search.group ?? search.tags ?? search.filter,
  )
  const sortable = useMemo(() => sortableColumns(columns, isShort), [columns, isShort])
  const shown = columns.filter(({ id }) => visible[id])
  return (
    <Page
      fill
      title="Devices"
      lead={
        answer.isPending
          ? 'Counting …'
          : `${many(total, 'device')}${isNarrowed ? (total === 1 ? ' matches' : ' match') : ''}`
      }
      actions={
        <>
          <ViewMenu search={search} columns={shown.map(({ id }) => id)} isReady={!answer.isPending} />
          <ExportButton
            columns={shown}
            filters={filters}
            total={total}
            order={(all) => (byColumn?.text ? sorted(all, byColumn.text, dir) : all)}
          />
        </>
      }
    >
      <BatchProgress batchId={search.batch} close={() => change({ batch: undefined })} />
      <ListTools
        {...{ search, change, columns, visible }}
        isReady={!answer.isPending}
        filtersWith={(next) => filtersOf({ ...search, ...next }, filterIn(search))}
      />
      <DataTable
        label="Devices"
        columns={sortable}
        visible={visible}
        rows={own?.devices ?? devices}
        rowId={({ id }) => id}
        rowLabel={({ hostname }) => hostname}
        answer={answer}
        total={total}
        selection={chosen.selection}
        sorting={{
          by: byColumn?.id ?? filters.sort,
          dir: byColumn ? dir : filters.sortDir,
          set: (sort, next) => change({ sort, dir: next }),
        }}
        windowed={own?.windowed ?? windowed}
        empty={isNarrowed ? <NothingFound clear={() => change(unnarrowed)} /> : <NoDevices />}
        footer={(sight) => <ListFooter total={total} {...sight} />}
      />
      <BulkBar chosen={chosen} filters={filters} sent={(batch) => change({ batch })} />
    </Page>
  )
}

const NothingFound = ({ clear }: { clear(): void }) => (
  <Note icon={SearchX} title="No matches" action={<Button onClick={clear}>Clear search and filters</Button>}>
    Try another search or filter.
  </Note>
)

const NoDevices = () => (
  <Note
    icon={MonitorSmartphone}
    title="No devices yet"
    action={
      <Link to="/enrollment" search={({ org, site }) => ({ org, site })} className={buttonClass('primary')}>
        Add device
      </Link>
    }
  >
    Create an enrollment key and run its command on a machine. The device appears here within seconds.
  </Note>
)
