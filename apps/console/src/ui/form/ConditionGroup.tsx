import { FolderPlus, Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../button/Button.tsx'
import { Select } from './Select.tsx'

interface Props<Kind extends string> {
  readonly label: string
  /** A group within another has a border. */
  readonly isInner: boolean
  readonly kind: Kind
  readonly kinds: readonly (readonly [Kind, string])[]
  /** Why nothing can be added. */
  readonly full?: string | false
  readonly isDeepest: boolean
  readonly children: ReactNode
  match(kind: Kind): void
  addCondition(): void
  addGroup(): void
  remove?(): void
}

/** A group of conditions, which match together: how, what is in it, and the buttons that add to it. */
export function ConditionGroup<Kind extends string>(props: Props<Kind>) {
  const { label, isInner, kind, kinds, full, isDeepest, children, match, addCondition, addGroup, remove } = props
  return (
    <fieldset
      aria-label={label}
      className={`grid min-w-0 gap-3 ${isInner ? 'rounded-lg border border-line bg-sunken/40 p-2.5' : ''}`}
    >
      <div className="flex items-center gap-2">
        <Select
          label="Match"
          value={kind}
          options={kinds}
          className="w-48"
          choose={(next) => next !== undefined && match(next)}
        />
        <span className="flex-1" />
        {remove && (
          <IconButton small label="Remove group" onClick={remove}>
            <X aria-hidden className="size-4" />
          </IconButton>
        )}
      </div>
      {children}
      <div className="flex gap-2">
        <Button small blocked={full} onClick={addCondition}>
          <Plus aria-hidden className="size-3.5" />
          Condition
        </Button>
        <Button small kind="quiet" blocked={full || (isDeepest && 'Groups cannot be nested deeper')} onClick={addGroup}>
          <FolderPlus aria-hidden className="size-3.5" />
          Group
        </Button>
      </div>
    </fieldset>
  )
}
