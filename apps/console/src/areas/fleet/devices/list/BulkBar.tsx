import { Boxes, RefreshCw, RotateCw, SquareTerminal, Tags, X } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { many } from '../../../../ui/quantity.ts'
import type { DeviceFilters } from '../deviceQuestion.ts'
import { BulkDialog, type BulkKind } from './BulkDialog.tsx'
import type { DeviceSelection } from './useSelection.ts'

const icon = { 'aria-hidden': true, className: 'size-4' } as const

interface Props {
  readonly chosen: DeviceSelection
  readonly filters: DeviceFilters
  sent(batchId: string): void
}

/** The actions for the selected devices. Shown while some are selected. */
export function BulkBar({ chosen, filters, sent }: Props) {
  const [kind, setKind] = useState<BulkKind | null>(null)
  const can = useCan()
  const mayCommand = !can('devices:execute') && 'You don’t have permission to send commands to devices'
  const mayChange = !can('devices:write') && 'You don’t have permission to edit devices'
  const { count, clear } = chosen
  return (
    <>
      <div role="status" className="sr-only">
        {count > 0 ? `${many(count, 'device')} selected` : ''}
      </div>
      {count > 0 && (
        <section
          aria-label="Selected devices"
          className="fixed bottom-5 left-1/2 z-20 flex w-max max-w-[calc(100vw-2rem)] -translate-x-1/2 flex-wrap items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2 shadow-pop"
        >
          <span className="px-1 font-medium text-sm tabular">{many(count, 'device')}</span>
          <Button small blocked={mayCommand} onClick={() => setKind('script')}>
            <SquareTerminal {...icon} />
            Run script
          </Button>
          <Button small blocked={mayCommand} onClick={() => setKind('inventory')}>
            <RefreshCw {...icon} />
            Refresh inventory
          </Button>
          <Button small blocked={mayCommand} onClick={() => setKind('reboot')}>
            <RotateCw {...icon} />
            Restart
          </Button>
          <Button small blocked={mayChange} onClick={() => setKind('tags')}>
            <Tags {...icon} />
            Edit tags
          </Button>
          <Button small blocked={mayChange} onClick={() => setKind('group')}>
            <Boxes {...icon} />
            Add to group
          </Button>
          <Button small kind="quiet" aria-label="Clear selection" onClick={clear}>
            <X {...icon} />
          </Button>
        </section>
      )}
      {kind && <BulkDialog kind={kind} chosen={chosen} filters={filters} sent={sent} close={() => setKind(null)} />}
    </>
  )
}
