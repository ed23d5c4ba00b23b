import type { DeadLetter } from '@muster/areas/platform/queues/dead-letters.contract.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan, useScopeKey } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Page } from '../../../ui/Page.tsx'
import { bytes, count } from '../../../ui/quantity.ts'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { LetterDialog } from './LetterDialog.tsx'

const limit = 100

/** What arrived from agents and could not be stored. */
export function DeadLettersPage() {
  const { letter } = useSearch({ from: '/app/dead-letters' })
  const navigate = useNavigate({ from: '/dead-letters' })
  const blocked = useCan()('*:*') ? undefined : 'Only somebody who may do everything can do that'
  const [returning, setReturning] = useState<string | null>(null)
  const answer = useInfiniteQuery({
    queryKey: [useScopeKey(), 'queues.deadLetters.list'],
    queryFn: ({ pageParam, signal }) =>
      api.queues.deadLetters.list.query({ limit, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 15_000,
  })
  const rows = answer.data?.pages.flatMap(({ data }) => data) ?? []
  const total = answer.data?.pages[0]?.total ?? 0
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, letter: id }) })
  const replay = useApiMutation((id: string) => api.queues.deadLetters.replay.mutate({ id }), {
    refresh: ['queues.deadLetters.list'],
    done() {
      open(undefined)
      toast('It is back in its stream. What is still wrong comes back here')
    },
  })
  return (
    <Page
      fill
      title="Dead letters"
      lead="What arrived from agents and could not be stored. Mend the cause, then give it back: it is stored once."
    >
      <DataTable
        label="Dead letters"
        columns={columnsWith(blocked, open, setReturning)}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={total}
        empty={
          <Note icon={MailCheck} title="Nothing was set aside">
            Everything that arrived from agents is stored.
          </Note>
        }
        footer={
          <div className="flex items-center justify-between border-line border-t px-3 py-1.5 text-muted text-sm">
            <span className="tabular">
              {count(rows.length)} of {count(total)}
            </span>
            {answer.hasNextPage && (
              <Button small busy={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
                Show more
              </Button>
            )}
          </div>
        }
      />
      {letter && (
        <LetterDialog id={letter} blocked={blocked} replay={() => setReturning(letter)} close={() => open(undefined)} />
      )}
      <Confirm
        open={returning !== null}
        close={() => setReturning(null)}
        title="Give this dead letter back?"
        verb="Give back"
        act={() => replay.mutateAsync(returning ?? '')}
      >
        A worker tries to store it again within seconds. What of it is stored already is not stored twice. If its cause
        is not mended it comes back here.
      </Confirm>
    </Page>
  )
}

const columnsWith = (
  blocked: string | undefined,
  open: (id: string) => void,
  give: (id: string) => void,
): readonly Column<DeadLetter>[] => [
  {
    id: 'id',
    header: 'Entry',
    width: 190,
    cell: ({ id }) => (
      <button
        type="button"
        className="rounded font-medium font-mono text-xs hover:text-accent-text"
        onClick={() => open(id)}
      >
        {id}
      </button>
    ),
  },
  { id: 'at', header: 'Set aside', width: 110, cell: ({ at }) => <Ago at={at} /> },
  { id: 'shard', header: 'Shard', width: 70, align: 'end', cell: ({ shard }) => shard },
  {
    id: 'records',
    header: 'Records',
    width: 90,
    align: 'end',
    cell: ({ records }) => records ?? <span className="text-muted">unreadable</span>,
  },
  { id: 'bytes', header: 'Size', width: 90, align: 'end', cell: (letter) => bytes(letter.bytes) },
  { id: 'tries', header: 'Tries', width: 70, align: 'end', cell: ({ tries }) => tries },
  { id: 'error', header: 'Why', width: 260, grow: 3, cell: ({ error }) => <span className="text-muted">{error}</span> },
  {
    id: 'actions',
    header: 'Actions',
    width: 120,
    cell: ({ id }) => (
      <Button small blocked={blocked} onClick={() => give(id)}>
        Give back
      </Button>
    ),
  },
]
