import type { ReactNode } from 'react'
import { Failure, Loading } from '../page/states.tsx'
import { Dialog } from './Dialog.tsx'

interface Answer<Data> {
  readonly data: Data | undefined
  readonly error: unknown
  refetch(): unknown
}

interface Props<Data> {
  readonly title: string
  readonly answer: Answer<Data>
  readonly actions?: ReactNode
  close(): void
  children(data: Data): ReactNode
}

/** One thing in full, over the list that it is in. */
export function Details<Data>({ title, answer, actions, close, children }: Props<Data>) {
  return (
    <Dialog open wide title={title} close={close} actions={actions}>
      {answer.data !== undefined ? (
        children(answer.data)
      ) : answer.error ? (
        <Failure error={answer.error} again={() => answer.refetch()} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

/** Text as a machine wrote it, in a box that scrolls. */
export const Verbatim = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <section className="grid gap-1">
    <h3 className="font-medium text-sm">{label}</h3>
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-72 overflow-auto whitespace-pre-wrap break-words rounded-md bg-sunken p-3 font-mono text-sm"
    >
      {text}
    </pre>
  </section>
)
