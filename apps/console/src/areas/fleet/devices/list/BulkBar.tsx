import { Boxes, RefreshCw, RotateCw, SquareTerminal, Tags } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../../session/session.tsx'
import { SelectionBar } from '../../../../shell/SelectionBar.tsx'
import type { DeviceFilters } from '../deviceQuestion.ts'
import { BulkDialog, type BulkKind, bulkTitles } from './BulkDialog.tsx'
import type { DeviceSelection } from './useSelection.ts'

const actions = [
  { kind: 'script', icon: SquareTerminal, needs: 'devices:execute', words: 'command' },
  { kind: 'inventory', icon: RefreshCw, needs: 'devices:execute', words: 'update' },
  { kind: 'reboot', icon: RotateCw, needs: 'devices:execute', words: 'reboot' },
  { kind: 'tags', icon: Tags, needs: 'devices:write', words: 'label' },
  { kind: 'group', icon: Boxes, needs: 'devices:write', words: 'member' },
] as const
const refusals = {
  'devices:execute': 'You don’t have permission to send commands to devices',
  'devices:write': 'You don’t have permission to edit devices',
} as const

interface Props {
  readonly chosen: DeviceSelection
  readonly filters: DeviceFilters
  sent(batchId: string): void
}

/** The actions for the selected devices. */
export function BulkBar({ chosen, filters, sent }: Props) {
  const [kind, setKind] = useState<BulkKind | null>(null)
  const can = useCan()
  return (
    <>
      <SelectionBar
        count={chosen.count}
        one="device"
        actions={actions.map(({ kind: each, needs, ...action }) => ({
          ...action,
          label: bulkTitles[each],
          blocked: !can(needs) && refusals[needs],
          act: () => setKind(each),
        }))}
        clear={chosen.clear}
      />
      {kind && <BulkDialog kind={kind} chosen={chosen} filters={filters} sent={sent} close={() => setKind(null)} />}
    </>
  )
}
