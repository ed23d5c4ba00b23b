import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../button/Button.tsx'
import { TextField } from '../form/fields.tsx'
import { Refusal } from '../page/states.tsx'
import { Dialog } from './Dialog.tsx'

interface Props {
  readonly open: boolean
  readonly title: string
  /** What will happen, to what, and whether it can be undone. */
  readonly children: ReactNode
  readonly verb: string
  readonly danger?: boolean
  /** A word that has to be typed first, for what cannot be undone or affects many. */
  readonly type?: string
  act(): Promise<unknown>
  close(): void
}

/** Asks before an action, shows its progress and its refusal. */
export function Confirm({ open, title, children, verb, danger = false, type, act, close }: Props) {
  const [typed, setTyped] = useState('')
  const work = useMutation({ mutationFn: () => act(), onSuccess: () => end() })
  const end = () => {
    close()
    setTyped('')
    work.reset()
  }
  const blocked = type !== undefined && typed.trim() !== type && `Type “${type}” to confirm`
  return (
    <Dialog
      open={open}
      title={title}
      close={end}
      actions={
        <>
          <Button onClick={end}>Cancel</Button>
          <Button
            kind={danger ? 'danger' : 'primary'}
            busy={work.isPending}
            blocked={blocked}
            onClick={() => work.mutate()}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <div className="text-muted">{children}</div>
        {type !== undefined && (
          <TextField
            label={`Type “${type}” to confirm`}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <Refusal error={work.error} />
      </div>
    </Dialog>
  )
}
