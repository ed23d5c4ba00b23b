import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { CopyText } from './display.tsx'

interface Props {
  readonly title: string
  /** The secret; nothing is shown without one. */
  readonly text: string | null
  /** What is copied, such as “the key”. */
  readonly label: string
  readonly children?: ReactNode
  close(): void
}

/** A secret that the server tells this one time. */
export function ShownOnce({ title, text, label, children, close }: Props) {
  return (
    <Dialog open={text !== null} close={close} wide title={title} actions={<Button onClick={close}>Done</Button>}>
      <div className="grid grid-cols-1 gap-4">
        <p className="text-muted text-sm">
          It is not shown again. Copy it to where it is used, or to a password manager.
        </p>
        <CopyText text={text ?? ''} label={label} wrap />
        {children}
      </div>
    </Dialog>
  )
}
