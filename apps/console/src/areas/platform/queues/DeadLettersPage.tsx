import type { DeadLetter } from '@muster/areas/platform/queues/dead-letters.contract.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan, useScopeKey } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { bytes, count } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { LetterDialog } from './LetterDialog.tsx'

const limit = 100

/** Stream entries from agents that could not be stored. */
export function DeadLettersPage() {
  const { letter } = useSearch({ from: '/app/dead-letters' })
  const navigate = useNavigate({ from: '/dead-letters' })
  const blocked = useCan()('*:*') ? undefined : 'You need full access to do this'
  const [retried, setRetried] = useState<string | null>(null)
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
      toast('Dead letter sent back to its stream. It returns here if it fails again')
    },
  })
  return (
    <Page fill title="Dead letters" lead="Data from agents that could not be stored. Fix the cause, then retry.">
      <DataTable
        label="Dead letters"
        columns={columnsWith(blocked, open, setRetried)}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={total}
        empty={
          <Note icon={MailCheck} title="No dead letters">
            All data from agents was stored.
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
        <LetterDialog id={letter} blocked={blocked} replay={() => setRetried(letter)} close={() => open(undefined)} />
      )}
      <Confirm
        open={retried !== null}
        close={() => setRetried(null)}
        title="Retry this dead letter?"
        verb="Retry dead letter"
        act={() => replay.mutateAsync(retried ?? '')}
      >
        A worker stores it within seconds. Records that are already stored are not stored twice. If it fails again, it
        returns here.
      </Confirm>
    </Page>
  )
}

const columnsWith = (
  blocked: string | undefined,
  open: (id: string) => void,
  retry: (id: string) => void,
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
  { id: 'at', header: 'Failed at', width: 110, cell: ({ at }) => <Ago at={at} /> },
  { id: 'shard', header: 'Shard', width: 70, align: 'end', cell: ({ shard }) => shard },
  {
    id: 'records',
    header: 'Records',
    width: 90,
    align: 'end',
    cell: ({ records }) => records ?? <span className="text-muted">unreadable</span>,
  },
  { id: 'bytes', header: 'Size', width: 90, align: 'end', cell: (letter) => bytes(letter.bytes) },
  { id: 'tries', header: 'Attempts', width: 70, align: 'end', cell: ({ tries }) => tries },
  {
    id: 'error',
    header: 'Error',
    width: 260,
    grow: 3,
    cell: ({ error }) => <span className="text-muted">{error}</span>,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 120,
    cell: ({ id }) => (
      <Button small blocked={blocked} onClick={() => retry(id)}>
        Retry
      </Button>
    ),
  },
]
