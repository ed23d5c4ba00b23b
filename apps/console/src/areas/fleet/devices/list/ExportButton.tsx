import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../../../ui/button/Button.tsx'
import { toastError } from '../../../../ui/page/states.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import type { DeviceFilters } from '../deviceQuestion.ts'
import { asCsv, download } from './csv.ts'
import { everyDevice } from './deviceList.ts'

interface Props {
  readonly columns: readonly Column<Device>[]
  readonly filters: DeviceFilters
  readonly total: number
  /** The devices in the order of the list. */
  order(devices: readonly Device[]): readonly Device[]
}

/** Exports the list as shown: all rows, with its columns and order. */
export function ExportButton({ columns, filters, total, order }: Props) {
  const [read, setRead] = useState(0)
  const stop = useRef(new AbortController())
  const work = useMutation({
    async mutationFn() {
      stop.current = new AbortController()
      setRead(0)
      return asCsv(columns, order(await everyDevice(filters, setRead, stop.current.signal)))
    },
    onSuccess: (text) =>
      download(
        `devices-${new Date().toISOString().slice(0, 10)}.csv`,
        new Blob([text], { type: 'text/csv;charset=utf-8' }),
      ),
    onError: (error) => !stop.current.signal.aborted && toastError(error),
  })
  if (work.isPending)
    return (
      <Button onClick={() => stop.current.abort()}>
        Stop export ({count(read)} of {count(total)})
      </Button>
    )
  return (
    <Button blocked={total === 0 && 'No devices to export'} onClick={() => work.mutate()}>
      <Download aria-hidden className="size-4" />
      Export CSV
    </Button>
  )
}
