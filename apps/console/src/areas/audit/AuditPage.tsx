import type { AuditLog } from '@muster/areas/audit/logs.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { useAnswer } from '../../questions.ts'
import { type Column, DataTable } from '../../ui/DataTable.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Badge, Facts } from '../../ui/display.tsx'
import { inputClass } from '../../ui/fields.tsx'
import { Page } from '../../ui/Page.tsx'
import { Pages } from '../../ui/Pages.tsx'
import { Failure, Loading, Note } from '../../ui/states.tsx'
import { Moment } from '../../ui/time.tsx'
import { actionWords } from '../overview/Recent.tsx'

const limit = 50
const tones = { success: 'plain', failure: 'warn', denied: 'bad' } as const
const results = { success: 'Success', failure: 'Failure', denied: 'Denied' } as const
const resultOf = (given: string) =>
  given === 'success' || given === 'failure' || given === 'denied' ? given : undefined

/** Who did what, when and from where; the newest first. */
export function AuditPage() {
  const { page = 1, q, result, record, org } = useSearch({ from: '/app/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const change = (next: { q?: string; result?: AuditLog['result']; record?: string; page?: number }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: next.record === undefined })
  const filters = { page, limit, ...(result && { result }), ...(org && { orgId: org }) }
  const listed = useAnswer((api) => api.audit.logs.list, filters, { enabled: !q, keepLast: true })
  const found = useAnswer(
    (api) => api.audit.logs.search,
    { ...filters, q: q ?? '' },
    { enabled: Boolean(q), keepLast: true },
  )
  const answer = q ? found : listed
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const columns = useMemo(
    () => columnsWith((id) => void navigate({ search: (now) => ({ ...now, record: id }) })),
    [navigate],
  )
  return (
    <Page fill title="Audit log" lead="What happened, kept so that nobody can change it unseen.">
      <div className="mb-3 flex flex-wrap gap-2">
        <Search value={q ?? ''} change={(text) => change({ q: text === '' ? undefined : text })} />
        <select
          aria-label="Result"
          value={result ?? ''}
          className={`${inputClass} !w-36`}
          onChange={({ target }) => change({ result: resultOf(target.value) })}
        >
          <option value="">Every result</option>
          {Object.entries(results).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <DataTable
        label="Audit log"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={ScrollText} title="Nothing matches">
            Search for whole words or their beginnings, or choose another result.
          </Note>
        }
        footer={<Pages {...pagination} set={(next) => change({ page: next > 1 ? next : undefined })} />}
      />
      {record && <RecordDialog id={record} close={() => change({ record: undefined, page })} />}
    </Page>
  )
}

function Search({ value, change }: { readonly value: string; change(text: string): void }) {
  const [typed, setTyped] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change(typed.trim())
  }
  return (
    <form onSubmit={submit} className="w-72">
      <input
        type="search"
        aria-label="Search the audit log"
        placeholder="Search; Enter starts it"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className={inputClass}
      />
    </form>
  )
}

const columnsWith = (open: (id: string) => void): readonly Column<AuditLog>[] => [
  { id: 'at', header: 'When', width: 190, cell: ({ at }) => <Moment at={at} /> },
  {
    id: 'action',
    header: 'What',
    width: 190,
    grow: 1,
    cell: ({ id, action }) => (
      <button type="button" className="rounded font-medium hover:text-accent-text" onClick={() => open(id)}>
        {actionWords(action)}
      </button>
    ),
  },
  {
    id: 'resource',
    header: 'To what',
    width: 200,
    grow: 1,
    cell: ({ resourceName, resourceType }) => resourceName ?? resourceType,
  },
  { id: 'actor', header: 'Who', width: 200, grow: 1, cell: ({ actorEmail, actorType }) => actorEmail ?? actorType },
  { id: 'ip', header: 'From', width: 130, cell: ({ ipAddress }) => ipAddress ?? '–' },
  {
    id: 'result',
    header: 'Result',
    width: 100,
    cell: ({ result }) => <Badge tone={tones[result]}>{results[result]}</Badge>,
  },
]

function RecordDialog({ id, close }: { readonly id: string; close(): void }) {
  const answer = useAnswer((api) => api.audit.logs.get, { id }, { staleMs: 600_000 })
  const record = answer.data
  return (
    <Dialog open wide close={close} title={record ? actionWords(record.action) : 'Record'}>
      {record ? (
        <Record record={record} />
      ) : answer.error ? (
        <Failure error={answer.error} again={() => answer.refetch()} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

const written = (value: unknown) =>
  value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)
const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? { ...value } : {}

function Record({ record }: { readonly record: AuditLog }) {
  const { before, after, ...more } = record.details
  const [was, is] = [asObject(before), asObject(after)]
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => written(was[name]) !== written(is[name]),
  )
  return (
    <div className="grid gap-4">
      <Facts
        facts={[
          ['When', <Moment key="at" at={record.at} />],
          ['Who', record.actorEmail ?? record.actorType],
          ['From', record.ipAddress],
          ['To what', record.resourceName ?? record.resourceId],
          ['Result', results[record.result]],
          ['Request', record.requestId],
          [
            'Place in the chain',
            record.sequence === null ? 'not yet' : `${record.sequence}, ${record.hash?.slice(0, 16)}…`,
          ],
        ]}
      />
      {fields.length > 0 && (
        <table className="w-full table-fixed text-left text-sm">
          <thead>
            <tr className="text-muted text-xs">
              <th scope="col" className="py-1 font-medium">
                Field
              </th>
              <th scope="col" className="py-1 font-medium">
                Before
              </th>
              <th scope="col" className="py-1 font-medium">
                After
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map((name) => (
              <tr key={name} className="border-line border-t align-top">
                <th scope="row" className="py-1.5 pr-2 font-medium">
                  {name}
                </th>
                <td className="break-words bg-bad-soft px-2 py-1.5 text-bad-text">{written(was[name])}</td>
                <td className="break-words bg-good-soft px-2 py-1.5 text-good-text">{written(is[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {Object.keys(more).length > 0 && (
        <Facts facts={Object.entries(more).map(([name, value]) => [name, written(value)] as const)} />
      )}
    </div>
  )
}
