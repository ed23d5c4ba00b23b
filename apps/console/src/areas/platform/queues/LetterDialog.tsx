import { useApiQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Facts } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { bytes, many } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'

interface Props {
  readonly id: string
  readonly blocked: string | undefined
  replay(): void
  close(): void
}

/** One dead letter with its records. */
export function LetterDialog({ id, blocked, replay, close }: Props) {
  const answer = useApiQuery((api) => api.queues.deadLetters.get, { id }, { staleMs: 600_000 })
  const letter = answer.data
  return (
    <Dialog
      open
      wide
      close={close}
      title={`Dead letter ${id}`}
      actions={
        <>
          <Button onClick={close}>Close</Button>
          <Button kind="primary" blocked={blocked ?? (!letter && 'Still loading')} onClick={replay}>
            Retry dead letter
          </Button>
        </>
      }
    >
      {letter ? (
        <div className="grid gap-4">
          <Facts
            facts={[
              ['Error', letter.error || 'unknown'],
              ['Failed at', <Moment key="at" at={letter.at} />],
              ['Original entry', letter.from || '–'],
              ['Ingest node', letter.node ?? '–'],
              ['Size', `${bytes(letter.bytes)}, ${many(letter.recordCount, 'record')}`],
              ...(letter.unreadable === null ? [] : [['Unreadable', letter.unreadable] as const]),
            ]}
          />
          {letter.records.length > 0 && (
            <pre
              tabIndex={0}
              className="max-h-80 overflow-auto whitespace-pre-wrap break-all rounded-md bg-sunken p-3 font-mono text-xs"
            >
              {letter.records.map((record) => JSON.stringify(record, null, 1)).join('\n')}
            </pre>
          )}
        </div>
      ) : (
        <Pending answer={answer} />
      )}
    </Dialog>
  )
}
