import type { ReactNode } from 'react'
import { Button } from '../button/Button.tsx'
import { CopyText } from '../page/display.tsx'
import { Dialog } from './Dialog.tsx'

interface Props {
  readonly title: string
  /** The secret; nothing is shown without one. */
  readonly text: string | null
  /** What is copied, such as “the key”. */
  readonly label: string
  readonly children?: ReactNode
  close(): void
}

/** A secret that the server shows once. */
export function ShownOnce({ title, text, label, children, close }: Props) {
  return (
    <Dialog open={text !== null} close={close} wide title={title} actions={<Button onClick={close}>Done</Button>}>
      <div className="grid grid-cols-1 gap-4">
        <p className="text-muted text-sm">Copy it now; you won’t see it again.</p>
        <CopyText text={text ?? ''} label={label} wrap />
        {children}
      </div>
    </Dialog>
  )
}
